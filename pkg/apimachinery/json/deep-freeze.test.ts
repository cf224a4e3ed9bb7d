import assert from 'node:assert/strict';
import { deepFreeze } from './deep-freeze.ts';

describe('deepFreeze', () => {
  it('makes changes at any depth throw', () => {
    const object = deepFreeze({ metadata: { labels: { a: 'b' } }, items: [{ n: 1 }], bytes: new Uint8Array(2) });
    assert.throws(() => (object.metadata.labels.a = 'c'), TypeError);
    assert.throws(() => object.items.push({ n: 2 }), TypeError);
    assert.throws(() => (object.items[0]!.n = 2), TypeError);
  });

  it('uses no recursion', () => {
    let value: object = {};
    for (let depth = 0; depth < 100_000; depth++) value = { value };
    assert.ok(Object.isFrozen(deepFreeze(value)));
  });
});
