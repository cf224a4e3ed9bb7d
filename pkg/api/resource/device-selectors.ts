import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { DeviceSelector } from '../../generated/types/resource-v1.ts';
import { validateItems } from './bounded-items.ts';

const SELECTORS_MAX = 32;
const EXPRESSION_BYTES_MAX = 10 * 1024;

/** Conditions on devices. Of their expressions the length is checked and that they are there; nothing compiles them. */
export function validateDeviceSelectors(
  selectors: readonly DeviceSelector[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateItems(selectors, SELECTORS_MAX, validateDeviceSelector, path, errors);
}

function validateDeviceSelector({ cel }: DeviceSelector, path: FieldPath, errors: FieldErrors): void {
  if (cel === undefined) return errors.required(path.child('cel'));
  const at = path.child('cel', 'expression');
  if (Buffer.byteLength(cel.expression) > EXPRESSION_BYTES_MAX)
    errors.tooLong(at, cel.expression, EXPRESSION_BYTES_MAX);
  else if (cel.expression.trim() === '')
    errors.invalid(at, cel.expression, 'compilation failed: the expression is empty');
}
