import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain } from '../../apimachinery/names/names.ts';

const BYTES_MAX = 63;

/** The name by which objects refer to a CSI driver; letters may have either case. */
export function validateCsiDriverName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path);
  if (Buffer.byteLength(name) > BYTES_MAX) errors.tooLong(path, name, BYTES_MAX);
  for (const problem of isDns1123Subdomain(name.toLowerCase())) errors.invalid(path, name, problem);
}
