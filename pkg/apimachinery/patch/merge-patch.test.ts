import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyMergePatch } from './merge-patch.ts';

describe('merge patch', () => {
  // The examples of RFC 7386, appendix A.
  const cases: [unknown, unknown, unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [doc, patch, expected] of cases) {
    it(`${JSON.stringify(doc)} with ${JSON.stringify(patch)}`, () =>
      assert.deepEqual(applyMergePatch(doc, patch), expected));
  }

  const json = fc.jsonValue({ maxDepth: 3 });

  it('obeys its laws: empty changes nothing, applying twice is applying once, inputs stay', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), json),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), json),
        (doc, patch) => {
          const before = JSON.stringify([doc, patch]);
          assert.deepEqual(applyMergePatch(doc, {}), { ...doc });
          const once = applyMergePatch(doc, patch);
          assert.deepEqual(applyMergePatch(once, patch), once);
          assert.equal(JSON.stringify([doc, patch]), before);
        },
      ),
    );
  });

  it('treats __proto__ as a key, and takes any depth', () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__":{"x":1}}')) as object;
    assert.deepEqual(Object.keys(result), ['__proto__']);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.deepEqual(applyMergePatch(JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":null}')), {});
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = { a: deep };
    assert.ok(applyMergePatch(deep, deep));
  });

  it('leaves the document unchanged, and shares nothing with the patch', () => {
    const document = { a: { b: [0], c: { d: 1 } }, e: { f: 1 } };
    const before = structuredClone(document);
    const patch = { a: { b: [1], c: { d: null, g: 2 } } };
    const result = applyMergePatch(document, patch) as { a: { b: number[] } };
    assert.deepEqual(result, { a: { b: [1], c: { g: 2 } }, e: { f: 1 } });
    assert.deepEqual(document, before);
    result.a.b.push(2);
    assert.deepEqual(patch.a.b, [1]);
  });
});
