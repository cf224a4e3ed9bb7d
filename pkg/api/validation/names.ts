import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../apimachinery/names/names.ts';

/** Adds one error for each problem that a check of a name has found. */
export function reportProblems(
  problems: readonly string[],
  value: unknown,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const problem of problems) errors.invalid(path, value, problem);
}

export function validateDns1123Label(value: string, path: FieldPath, errors: FieldErrors): void {
  reportProblems(isDns1123Label(value), value, path, errors);
}

export function validateDns1123Subdomain(value: string, path: FieldPath, errors: FieldErrors): void {
  reportProblems(isDns1123Subdomain(value), value, path, errors);
}

/** `name` or `domain/name`. */
export function validateQualifiedName(value: string, path: FieldPath, errors: FieldErrors): void {
  reportProblems(isQualifiedName(value), value, path, errors);
}
