import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { regexError } from '../../apimachinery/names/name-problems.ts';
import { validateLabelName } from '../../apimachinery/meta/object-meta-validation.ts';
import type { Condition } from '../../generated/types/meta-v1.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON_BYTES_MAX = 1024;
const MESSAGE_BYTES_MAX = 32 * 1024;
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_REGEX = new RegExp(`^${REASON}$`);
const REASON_PROBLEM = regexError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end " +
    "with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

/** Checks conditions of the form that kinds of meta/v1 share: one of each type. */
export function validateConditions(
  conditions: readonly Condition[] | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const types = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    if (types.has(condition.type)) errors.duplicate(path.index(i).child('type'), condition.type);
    types.add(condition.type);
    validateCondition(condition, path.index(i), errors);
  }
}

function validateCondition(condition: Condition, path: FieldPath, errors: FieldErrors): void {
  validateLabelName(condition.type, path.child('type'), errors);
  if (!STATUSES.includes(condition.status)) errors.notSupported(path.child('status'), condition.status, STATUSES);
  const generation = condition.observedGeneration ?? 0;
  if (generation < 0)
    errors.invalid(path.child('observedGeneration'), generation, 'must be greater than or equal to zero');
  if (!condition.lastTransitionTime) errors.required(path.child('lastTransitionTime'), 'must be set');
  if (condition.reason === '') errors.required(path.child('reason'), 'must be set');
  else {
    if (!REASON_REGEX.test(condition.reason)) errors.invalid(path.child('reason'), condition.reason, REASON_PROBLEM);
    if (Buffer.byteLength(condition.reason) > REASON_BYTES_MAX)
      errors.tooLong(path.child('reason'), condition.reason, REASON_BYTES_MAX);
  }
  if (Buffer.byteLength(condition.message) > MESSAGE_BYTES_MAX)
    errors.tooLong(path.child('message'), condition.message, MESSAGE_BYTES_MAX);
}
