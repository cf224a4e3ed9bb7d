import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goIntOrString } from '../../apimachinery/values/go-format.ts';
import { type IntOrString, percentOf } from '../../apimachinery/values/int-or-string.ts';
import { isPercent } from '../../apimachinery/names/names.ts';

/** Rules of fields that take a number or a percentage, such as `maxUnavailable`. */

/** The number is not negative, or the text is a percentage. */
export function validatePositiveIntOrPercent(value: IntOrString, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') {
    for (const problem of isPercent(value)) errors.invalid(path, goIntOrString(value), problem);
  } else if (value < 0) {
    errors.invalid(path, value, 'must be greater than or equal to 0');
  }
}

export function validateNotMoreThan100Percent(value: IntOrString, path: FieldPath, errors: FieldErrors): void {
  if ((percentOf(value) ?? 0) > 100) errors.invalid(path, goIntOrString(value), 'must not be greater than 100%');
}

/**
 * The number of a value where only "zero or not" matters: percentages and numeric texts as their number, other texts as
 * 0.
 */
export function countOf(value: IntOrString): number {
  if (typeof value === 'number') return value;
  return percentOf(value) ?? (/^[+-]?[0-9]+$/.test(value) ? Number(value) : 0);
}
