import assert from 'node:assert/strict';
import { generateName, randSuffix } from './rand-suffix.ts';

describe('generated names', () => {
  it('takes characters by the given random source', () => {
    let next = 0;
    assert.equal(
      randSuffix(() => next++),
      'bcdfg',
    );
    assert.equal(
      randSuffix((bound) => bound - 1),
      '99999',
    );
  });

  it('appends a suffix and fits 63 characters', () => {
    assert.equal(
      generateName('web-', () => 0),
      'web-bbbbb',
    );
    assert.equal(
      generateName('x'.repeat(80), () => 0),
      `${'x'.repeat(58)}bbbbb`,
    );
    assert.match(generateName('a'), /^a[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
