import assert from 'node:assert/strict';
import { TransientMap } from './transient-map.ts';

describe('TransientMap', () => {
  it('holds what was set last, whatever the key', () => {
    const map = new TransientMap<number>();
    for (const key of ['a', '__proto__', 'constructor', '7', '']) {
      assert.equal(map.get(key), undefined, key);
      map.set(key, 1);
      map.set(key, 2);
      assert.equal(map.get(key), 2, key);
    }
    assert.equal(map.size, 5);
    assert.deepEqual(map.keys().toSorted(), ['', '7', '__proto__', 'a', 'constructor']);
  });

  it('forgets what is deleted', () => {
    const map = new TransientMap<number>();
    map.set('a', 0);
    map.delete('a');
    map.delete('a');
    map.delete('b');
    assert.deepEqual([map.size, map.get('a'), map.keys()], [0, undefined, []]);
    map.set('a', 1);
    map.clear();
    assert.deepEqual([map.size, map.get('a')], [0, undefined]);
  });
});
