import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { MatchCondition } from '../../generated/types/admissionregistration-v1.ts';
import { validateQualifiedName } from '../validation/names.ts';

const CONDITIONS_MAX = 64;

/**
 * Conditions that a request has to meet before a webhook or policy is called. Expressions are required but not
 * evaluated.
 */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (conditions.length > CONDITIONS_MAX) errors.tooMany(path, conditions.length, CONDITIONS_MAX);
  const names = new Set<string>();
  for (const [i, { name, expression }] of conditions.entries()) {
    if (expression.trim() === '') errors.required(path.index(i).child('expression'));
    if (name === '') errors.required(path.index(i).child('name'));
    else validateQualifiedName(name, path.index(i).child('name'), errors);
    if (name !== '' && names.has(name)) errors.duplicate(path.index(i).child('name'), name);
    names.add(name);
  }
}
