import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import type { LabelSelectorExpression, LabelSelectorObject } from './label-selector.ts';
import { isValidLabelValue } from '../names/names.ts';
import { validateLabelName, validateLabels } from '../meta/object-meta-validation.ts';

export interface LabelSelectorRules {
  /** Objects stored before values were checked may keep theirs. */
  allowInvalidValues?: boolean;
}

/** Checks the object form. */
export function validateLabelSelector(
  selector: LabelSelectorObject | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules = {},
): void {
  if (selector == null) return;
  validateLabels(selector.matchLabels, path.child('matchLabels'), errors);
  for (const [i, expression] of (selector.matchExpressions ?? []).entries()) {
    validateExpression(expression, path.child('matchExpressions').index(i), errors, rules);
  }
}

function validateExpression(
  expression: LabelSelectorExpression,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules,
): void {
  const values = expression.values ?? [];
  const operator = expression.operator ?? '';
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    errors.invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
  validateLabelName(expression.key ?? '', path.child('key'), errors);
  if (rules.allowInvalidValues === true) return;
  for (const [i, value] of values.entries()) {
    for (const problem of isValidLabelValue(value)) errors.invalid(path.child('values').index(i), value, problem);
  }
}
