import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { CustomResourceDefinition } from '../../../generated/types/apiextensions-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { validateApiApproval } from './api-approval.ts';
import { validateNames } from './names-validation.ts';
import { requirementsForCreate, requirementsForUpdate } from './requirements.ts';
import { validateSpec } from './spec-validation.ts';

const V1 = 'apiextensions.k8s.io/v1';

export function validateDefinition(
  object: CustomResourceDefinition,
  errors: FieldErrors,
  { requestVersion }: StrategyContext,
): void {
  const { metadata, spec } = object;
  const name = metadata.name ?? '';
  // A bad name is reported already with the rest of the metadata.
  if (name !== `${spec.names.plural}.${spec.group}` && name !== '') {
    errors.invalid(field('metadata', 'name'), name, 'must be spec.names.plural+"."+spec.group');
  }
  validateSpec(spec, requirementsForCreate(spec, requestVersion), field('spec'), errors);
  validateStatus(object, errors);
  validateStoredVersions(object, field('status', 'storedVersions'), errors);
  if (requestVersion !== V1) return;
  validateApiApproval(object, undefined, errors);
  validatePreserveUnknownFields(object, undefined, errors);
}

export function validateDefinitionUpdate(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition,
  errors: FieldErrors,
  { requestVersion }: StrategyContext,
): void {
  const path = field('spec');
  validateSpec(object.spec, requirementsForUpdate(object.spec, old.spec, requestVersion), path, errors);
  if (isEstablished(old)) {
    // Stored objects depend on them.
    validateImmutableField(object.spec.scope, old.spec.scope, path.child('scope'), errors);
    validateImmutableField(object.spec.names.kind, old.spec.names.kind, path.child('names', 'kind'), errors);
  }
  validateImmutableField(object.spec.group, old.spec.group, path.child('group'), errors);
  validateImmutableField(object.spec.names.plural, old.spec.names.plural, path.child('names', 'plural'), errors);
  validateStatus(object, errors);
  validateStoredVersions(object, field('status', 'storedVersions'), errors);
  if (requestVersion !== V1) return;
  validateApiApproval(object, old, errors);
  validatePreserveUnknownFields(object, old, errors);
}

export function validateStatus({ status }: CustomResourceDefinition, errors: FieldErrors): void {
  validateNames(status.acceptedNames, field('status', 'acceptedNames'), errors);
}

/** While objects may be stored in a version, it has to exist. */
function validateStoredVersions(
  { spec, status }: CustomResourceDefinition,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const stored = new Set(status.storedVersions);
  if (stored.size === 0) return errors.invalid(path, null, 'must have at least one stored version');
  const versions = spec.versions ?? [];
  for (const { name, storage } of versions) {
    if (storage && !stored.has(name)) {
      errors.invalid(
        path,
        goText('apiextensions.CustomResourceDefinitionVersion{}'),
        `must have the storage version ${name}`,
      );
    }
  }
  const names = new Set(versions.map((version) => version.name));
  for (const [i, name] of [...stored].entries())
    if (!names.has(name)) errors.invalid(path.index(i), name, 'must appear in spec.versions');
}

function validatePreserveUnknownFields(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
): void {
  if (!object.spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return;
  errors.invalid(
    field('spec', 'preserveUnknownFields'),
    true,
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
  );
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === 'Established' && condition.status === 'True');
}
