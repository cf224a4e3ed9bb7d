import assert from 'node:assert/strict';
import { blinded, equalInConstantTime } from './constant-time.ts';

describe('comparisons in constant time', () => {
  it('distinguish equal texts from others, of any length', () => {
    assert.ok(equalInConstantTime('', ''));
    assert.ok(equalInConstantTime('a\u0000ü', 'a\u0000ü'));
    for (const [a, b] of [
      ['', 'a'],
      ['a', 'A'],
      ['abc', 'abcd'],
      ['ü', 'u'],
    ] as const)
      assert.equal(equalInConstantTime(a, b), false);
  });

  it('make a key for a text without containing it', () => {
    assert.equal(blinded('secret'), blinded('secret'));
    assert.notEqual(blinded('secret'), blinded('secreu'));
    assert.equal(blinded('s'.repeat(1000)).length, blinded('').length);
    const [one, other] = [blinded('one'), blinded('two')];
    assert.deepEqual(['one', 'two', 'two', 'one', ''].map(blinded), [one, other, other, one, blinded('')]);
  });
});
