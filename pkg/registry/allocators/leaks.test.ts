import assert from 'node:assert/strict';
import { Leaks } from './leaks.ts';

describe('Leaks', () => {
  it('are due when they were found in every round of the grace period', () => {
    let now = 0;
    const leaks = new Leaks<string>(10, () => now);
    assert.deepEqual([...leaks.due(['a', 'b'])], []);
    now = 9;
    assert.deepEqual([...leaks.due(['a'])], []);
    now = 10;
    assert.deepEqual([...leaks.due(['a', 'b'])], ['a']);
    now = 18;
    assert.deepEqual([...leaks.due(['b'])], []);
    now = 20;
    assert.deepEqual([...leaks.due(['b'])], ['b']);
  });
});
