import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import type { ValidationRule } from '../../../generated/types/apiextensions-v1.ts';
import { validateRules } from './rule-validation.ts';

function problems(rule: Partial<ValidationRule>): string[] {
  const errors = new FieldErrors();
  validateRules([{ rule: 'self > 0', ...rule }], field('rules'), errors);
  return errors.items.map(fieldErrorText);
}

describe('rules of a schema', () => {
  it('need an expression', () => {
    assert.deepEqual(problems({}), []);
    assert.deepEqual(problems({ rule: ' ', message: ' ' }), ['rules[0].rule: Required value: rule is not specified']);
  });

  it('have a message of one line, and need one when the expression has several', () => {
    assert.deepEqual(problems({ message: ' ' }), [
      'rules[0].message: Invalid value: " ": message must be non-empty if specified',
    ]);
    assert.deepEqual(problems({ message: 'a\nb' }), [
      'rules[0].message: Invalid value: "a\\nb": message must not contain line breaks',
    ]);
    assert.deepEqual(problems({ rule: 'self\n> 0' }), [
      'rules[0].message: Required value: message must be specified if rule contains line breaks',
    ]);
    assert.deepEqual(problems({ rule: 'self\n> 0', message: 'positive' }), []);
    assert.deepEqual(problems({ messageExpression: ' ' }), [
      'rules[0].messageExpression: Required value: messageExpression must be non-empty if specified',
    ]);
  });

  it('give one of four reasons for one field', () => {
    assert.deepEqual(problems({ reason: 'FieldValueForbidden', fieldPath: '.a' }), []);
    assert.deepEqual(problems({ reason: 'Because' }), [
      'rules[0].reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ]);
    assert.deepEqual(problems({ fieldPath: '\n' }), [
      'rules[0].fieldPath: Invalid value: "\\n": fieldPath must be non-empty if specified',
      'rules[0].fieldPath: Invalid value: "\\n": fieldPath must not contain line breaks',
    ]);
  });
});
