import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyGoJson } from './go-json.ts';

describe('stringifyGoJson', () => {
  it('escapes what Go escapes for pages', () => {
    assert.equal(
      stringifyGoJson({ args: ['a && b > c <\u2028\u2029'] }),
      '{"args":["a \\u0026\\u0026 b \\u003e c \\u003c\\u2028\\u2029"]}',
    );
    assert.equal(stringifyGoJson({ '<': 'é\n\t"\\\b\f\u007f' }), '{"\\u003c":"é\\n\\t\\"\\\\\\b\\f\u007f"}');
  });

  it('sorts keys as texts where some are indexes, and keeps the order of others', () => {
    const text = stringifyGoJson({ z: { b: 1, a: 2 }, map: { 9: 'n', 10: 't', $patch: 'p', '01': 'o' } });
    assert.equal(text, '{"z":{"b":1,"a":2},"map":{"$patch":"p","01":"o","10":"t","9":"n"}}');
    assert.equal(stringifyGoJson([{ 1: 2n ** 60n, x: undefined }, null]), '[{"1":1152921504606846976},null]');
  });

  it('writes the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepEqual(JSON.parse(stringifyGoJson(value)), JSON.parse(JSON.stringify(value))),
      ),
    );
  });
});
