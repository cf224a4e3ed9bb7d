import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct, type GoText } from '../../../apimachinery/values/go-format.ts';
import { isValidLabelValue } from '../../../apimachinery/names/names.ts';
import { validateLabelName } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Toleration } from '../../../generated/types/core-v1.ts';

const OPERATORS = ['Equal', 'Exists'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Tolerated taints of a pod; also in runtime classes. */
export function validateTolerations(tolerations: readonly Toleration[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, toleration] of tolerations.entries()) validateToleration(toleration, path.index(i), errors);
}

function validateToleration(toleration: Toleration, path: FieldPath, errors: FieldErrors): void {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const operatorPath = path.child('operator');
  if (key !== '') validateLabelName(key, path.child('key'), errors);
  else if (operator !== 'Exists') {
    errors.invalid(
      operatorPath,
      operator,
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    );
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.invalid(path.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (operator === '' || operator === 'Equal') {
    const problems = isValidLabelValue(value);
    if (problems.length > 0) errors.invalid(operatorPath, value, problems.join(';'));
  } else if (operator === 'Exists') {
    if (value !== '')
      errors.invalid(operatorPath, goToleration(toleration), "value must be empty when `operator` is 'Exists'");
  } else {
    errors.notSupported(operatorPath, operator, OPERATORS);
  }
  if (effect !== '') validateTaintEffect(effect, path.child('effect'), errors);
}

/** The toleration as errors quote it. */
export function goToleration({
  key = '',
  operator = '',
  value = '',
  effect = '',
  tolerationSeconds,
}: Toleration): GoText {
  return goStruct({
    Key: key,
    Operator: operator,
    Value: value,
    Effect: effect,
    TolerationSeconds: tolerationSeconds ?? null,
  });
}

/** The effect of a taint on pods that do not tolerate it. Not empty. */
function validateTaintEffect(effect: string, path: FieldPath, errors: FieldErrors): void {
  if (effect === '') errors.required(path);
  else if (!EFFECTS.includes(effect)) errors.notSupported(path, effect, EFFECTS);
}

/** Only the time of existing tolerations may change. */
export function validateOnlyAddedTolerations(
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const kept = new Set(tolerations.map(tolerationIdentity));
  if (!old.every((toleration) => kept.has(tolerationIdentity(toleration)))) {
    return errors.forbidden(path, 'existing toleration can not be modified except its tolerationSeconds');
  }
  validateTolerations(tolerations, path, errors);
}

/** The identity of a toleration: all fields except the time. */
export function tolerationIdentity({ key = '', operator = '', value = '', effect = '' }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}
