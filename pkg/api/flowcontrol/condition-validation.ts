import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';

/** Checks the conditions of both kinds: one of each type. */
export function validateFlowcontrolConditions(
  conditions: readonly { type?: string }[] | undefined,
  errors: FieldErrors,
): void {
  const path = field('status', 'conditions');
  const types = new Set<string>();
  for (const [i, { type = '' }] of (conditions ?? []).entries()) {
    if (types.has(type)) errors.duplicate(path.index(i).child('type'), type);
    types.add(type);
    if (type === '') errors.required(path.index(i).child('type'), 'must not be empty');
  }
}
