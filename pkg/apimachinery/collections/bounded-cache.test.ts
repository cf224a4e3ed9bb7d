import assert from 'node:assert/strict';
import { BoundedCache } from './bounded-cache.ts';

describe('BoundedCache', () => {
  it('forgets what was not used for the longest time', () => {
    const cache = new BoundedCache<number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    assert.equal(cache.get('a'), 1);
    cache.set('c', 3);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [1, undefined, 3, 2]);
    cache.set('a', 4);
    assert.deepEqual([cache.get('a'), cache.size], [4, 2]);
  });

  it('never holds more than its limit', () => {
    const cache = new BoundedCache<number>(10);
    for (let i = 0; i < 1000; i++) cache.set(`k${i}`, i);
    assert.equal(cache.size, 10);
  });
});
