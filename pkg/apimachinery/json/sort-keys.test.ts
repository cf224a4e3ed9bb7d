import assert from 'node:assert/strict';
import { sortKeys } from './sort-keys.ts';

describe('sortKeys', () => {
  it('sorts the keys of objects at every depth, and leaves lists in their order', () => {
    const value = { b: [{ d: 1, c: [2, 1] }, null], a: 'x', B: undefined };
    assert.equal(JSON.stringify(sortKeys(value)), '{"a":"x","b":[{"c":[2,1],"d":1},null]}');
  });
});
