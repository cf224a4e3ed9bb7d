import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { KeyToPath } from '../../../generated/types/core-v1.ts';
import { validateFileMode, validateLocalNonReservedPath } from './local-path.ts';

/** One key that becomes one file. */
export function validateKeyToPath(item: KeyToPath, path: FieldPath, errors: FieldErrors): void {
  if (item.key === '') errors.required(path.child('key'));
  if (item.path === '') errors.required(path.child('path'));
  validateLocalNonReservedPath(item.path, path.child('path'), errors);
  validateFileMode(item.mode, path.child('mode'), errors);
}
