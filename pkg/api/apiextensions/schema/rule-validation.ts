import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { ValidationRule } from '../../../generated/types/apiextensions-v1.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\r\n]/;

/** Checks the fields around the expressions of a schema; the expressions themselves are not compiled. */
export function validateRules(rules: readonly ValidationRule[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, rule] of rules.entries()) validateRule(rule, path.index(i), errors);
}

function validateRule(
  { rule, message, messageExpression, reason, fieldPath }: ValidationRule,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const expression = rule.trim();
  const text = message?.trim() ?? '';
  const messagePath = path.child('message');
  if (expression === '') errors.required(path.child('rule'), 'rule is not specified');
  else if (message && text === '') errors.invalid(messagePath, message, 'message must be non-empty if specified');
  else if (LINE_BREAK.test(text)) errors.invalid(messagePath, message, 'message must not contain line breaks');
  else if (text === '' && LINE_BREAK.test(expression))
    errors.required(messagePath, 'message must be specified if rule contains line breaks');
  if (messageExpression && messageExpression.trim() === '') {
    errors.required(path.child('messageExpression'), 'messageExpression must be non-empty if specified');
  }
  if (reason !== undefined && !REASONS.includes(reason)) errors.notSupported(path.child('reason'), reason, REASONS);
  if (!fieldPath) return;
  if (fieldPath.trim() === '')
    errors.invalid(path.child('fieldPath'), fieldPath, 'fieldPath must be non-empty if specified');
  if (LINE_BREAK.test(fieldPath))
    errors.invalid(path.child('fieldPath'), fieldPath, 'fieldPath must not contain line breaks');
}
