import type { Namespace } from '../../../generated/types/core-v1.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export function setNamespaceDefaults(object: Namespace): void {
  object.status.phase ||= 'Active';
  setNameLabel(object);
}

/** Every namespace can be selected by its name. */
export function setNameLabel({ metadata }: Namespace): void {
  if (!metadata.name || metadata.labels?.[NAME_LABEL] === metadata.name) return;
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}
