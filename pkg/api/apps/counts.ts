import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { validateNonNegative } from '../../apimachinery/meta/object-meta-validation.ts';

// `object`: the interfaces of specs and statuses have no index signature.
function countAt(holder: object, name: string): number | undefined {
  return (holder as Record<string, number | undefined>)[name];
}

/** Checks that the named counts, where present, are not negative. */
export function validateCounts(holder: object, names: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const name of names) validateNonNegative(countAt(holder, name), path.child(name), errors);
}

/** Checks that each named count of a status is at most `status.replicas`. */
export function validateWithinReplicas(
  status: object,
  names: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const replicas = countAt(status, 'replicas') ?? 0;
  for (const name of names) {
    const count = countAt(status, name) ?? 0;
    if (count > replicas) errors.invalid(path.child(name), count, 'cannot be greater than status.replicas');
  }
}

/** A collision count only grows. */
export function validateCollisionCount(
  count: number | undefined,
  old: number | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (old !== undefined && (count === undefined || count < old))
    errors.invalid(path, count ?? 0, 'cannot be decremented');
}
