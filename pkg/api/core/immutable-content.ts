import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, FieldPath } from '../../apimachinery/errors/field-path.ts';

/** The common part of ConfigMaps and Secrets: bounded content that `immutable` freezes. */

/** Limit of bytes of all values of one object. */
export const CONTENT_BYTES_MAX = 1024 * 1024;

/** The path by which an error names the whole object. */
export const WHOLE_OBJECT = FieldPath.root().key('');

const FROZEN = 'field is immutable when `immutable` is set';

/** Once set, `immutable` cannot be unset, and the fields in `names` keep their content. */
export function validateFrozenContent<T extends { immutable?: boolean }>(
  object: T,
  old: T,
  names: readonly (keyof T & string)[],
  errors: FieldErrors,
): void {
  if (old.immutable !== true) return;
  if (object.immutable !== true) errors.forbidden(field('immutable'), FROZEN);
  for (const name of names) if (!deepEqual(object[name], old[name])) errors.forbidden(field(name), FROZEN);
}

/** Bytes behind a base64 text. */
export function decodedBytes(base64: string | null): number {
  return base64 === null ? 0 : Buffer.byteLength(base64, 'base64');
}

/** Entries of a map that may be absent. */
export function countOfKeys(map: object | null | undefined): number {
  return map == null ? 0 : Object.keys(map).length;
}
