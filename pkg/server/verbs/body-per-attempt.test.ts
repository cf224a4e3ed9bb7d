import assert from 'node:assert/strict';
import { bodyPerAttempt } from './body-per-attempt.ts';

describe('bodyPerAttempt', () => {
  it('copies and decodes nothing for the first attempt, and decodes once for each further one', () => {
    const decoded = { name: 'first' };
    let decodes = 0;
    const next = bodyPerAttempt(decoded, () => ({ name: `again ${++decodes}` }));
    assert.equal(next(), decoded);
    assert.equal(decodes, 0);
    assert.deepEqual([next(), next()], [{ name: 'again 1' }, { name: 'again 2' }]);
    assert.equal(decodes, 2);
  });
});
