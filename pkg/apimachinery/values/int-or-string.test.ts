import assert from 'node:assert/strict';
import { percentOf, scaledValue } from './int-or-string.ts';

describe('int or string', () => {
  it('recognizes percentages', () => {
    assert.equal(percentOf('25'), undefined);
    assert.equal(percentOf(25), undefined);
    assert.equal(percentOf('150%'), 150);
    assert.equal(percentOf('-1%'), undefined);
  });

  it('scales, rounding in the given direction', () => {
    assert.equal(scaledValue('25%', 10, true), 3);
    assert.equal(scaledValue('25%', 10, false), 2);
    assert.equal(scaledValue(7, 10, true), 7);
    assert.throws(() => scaledValue('x', 10, true), {
      message: 'invalid value for IntOrString: invalid type: string is not a percentage',
    });
    assert.throws(() => scaledValue('x%', 10, true), { message: 'invalid value for IntOrString: invalid value "x%"' });
    assert.throws(() => scaledValue(undefined, 10, true), { message: 'nil value for IntOrString' });
  });
});
