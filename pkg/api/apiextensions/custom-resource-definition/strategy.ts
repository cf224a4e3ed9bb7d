import type { CustomResourceDefinition } from '../../../generated/types/apiextensions-v1.ts';

/**
 * Records in which versions objects may be stored; administrators remove versions from the list when no such object is
 * left. In place.
 */
export function rememberStorageVersion({ spec, status }: CustomResourceDefinition): void {
  const stored = (spec.versions ?? []).find((version) => version.storage);
  if (stored === undefined || status.storedVersions?.includes(stored.name)) return;
  status.storedVersions = [...(status.storedVersions ?? []), stored.name];
}

/** Warns clients that create a definition that helm and others will wait for it without success. */
export function definitionWarnings(
  _definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): string[] {
  return old === undefined
    ? ['custom resources are not served yet: the definition is stored, but never becomes Established']
    : [];
}

/** The generic path keeps the old status; it must not be changed in place. */
export function prepareForUpdate(definition: CustomResourceDefinition): void {
  definition.status = { ...definition.status };
  rememberStorageVersion(definition);
}
