import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import { validateBinding } from './binding.ts';

describe('bindings', () => {
  it('names a node', () => {
    const causes = (target: object): string[] => {
      const errors = new FieldErrors();
      validateBinding({ metadata: { name: 'p' }, target }, errors);
      return errors.items.map(fieldErrorText);
    };
    assert.deepEqual(causes({ name: 'n' }), []);
    assert.deepEqual(causes({ kind: 'Node', name: 'n' }), []);
    assert.deepEqual(causes({ kind: 'Pod' }), [
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      'target.name: Required value',
    ]);
  });
});
