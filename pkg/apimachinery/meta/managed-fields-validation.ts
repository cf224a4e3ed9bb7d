import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import type { ManagedFieldsEntry } from './object.ts';

const MANAGER_BYTES_MAX = 128;
const SUBRESOURCE_BYTES_MAX = 256;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Checks the shape of `metadata.managedFields`; the field sets themselves are not checked. */
export function validateManagedFields(
  entries: ManagedFieldsEntry[] | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, entry] of (entries ?? []).entries()) {
    const at = path.index(i);
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.invalid(at.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`');
    }
    const fieldsType = entry.fieldsType ?? '';
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      errors.invalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`');
    validateFieldManager(entry.manager ?? '', at.child('manager'), errors);
    const subresource = entry.subresource ?? '';
    if (Buffer.byteLength(subresource) > SUBRESOURCE_BYTES_MAX) {
      errors.tooLong(at.child('subresource'), subresource, SUBRESOURCE_BYTES_MAX);
    }
  }
}

/** Checks a manager's name, also as the `fieldManager` parameter of a request. */
function validateFieldManager(manager: string, path: FieldPath, errors: FieldErrors): void {
  if (Buffer.byteLength(manager) > MANAGER_BYTES_MAX) errors.tooLong(path, manager, MANAGER_BYTES_MAX);
  if (UNPRINTABLE.test(manager)) errors.invalid(path, manager, 'should only contain printable characters');
}
