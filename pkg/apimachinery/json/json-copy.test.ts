import assert from 'node:assert/strict';
import { jsonCopy } from './json-copy.ts';

describe('jsonCopy', () => {
  it('equals JSON written and read back, and shares nothing', () => {
    const value = { a: [1, undefined, { b: null }], gone: undefined, text: 'x', ['__proto__']: { c: true } };
    const { copy } = jsonCopy(value);
    assert.deepEqual(copy, JSON.parse(JSON.stringify(value)));
    assert.equal(Object.hasOwn(copy, 'gone'), false);
    assert.notEqual(copy.a, value.a);
    assert.notEqual(copy.a[2], value.a[2]);
    assert.equal(jsonCopy('text').copy, 'text');
    assert.equal(jsonCopy(null).copy, null);
  });

  it('estimates the size of the JSON', () => {
    const value = { list: Array.from({ length: 100 }, (_, i) => ({ name: `item-${i}`, text: 'x'.repeat(50) })) };
    const bytes = JSON.stringify(value).length;
    const { size } = jsonCopy(value);
    assert.ok(size > bytes / 2 && size < bytes * 2, `${size} for ${bytes}`);
  });

  it('copies what nests very deep', () => {
    let value: object = {};
    for (let i = 0; i < 20_000; i++) value = { value };
    assert.doesNotThrow(() => jsonCopy(value));
  });
});
