import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isQualifiedName } from '../../apimachinery/names/names.ts';

const PARAMETERS_MAX = 512;
const PARAMETERS_BYTES_MAX = 256 * 1024;

/** The driver or provisioner that a class names; letters may have either case. */
export function validateProvisioner(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') return errors.required(path);
  const lower = name.toLowerCase();
  for (const problem of isQualifiedName(lower)) errors.invalid(path, lower, problem);
}

/** Settings that a class passes to its driver. */
export function validateParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldErrors,
  { allowEmpty = true } = {},
): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > PARAMETERS_MAX)
    return errors.tooLong(path, 'Provisioner Parameters exceeded max allowed', PARAMETERS_MAX);
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === '') errors.invalid(path, key, 'field can not be empty.');
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > PARAMETERS_BYTES_MAX) errors.tooLong(path, '', PARAMETERS_BYTES_MAX);
  if (entries.length === 0 && !allowEmpty) errors.required(path, 'must contain at least one key/value pair');
}
