import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deepCopy, deepEqual, semanticDeepEqual } from './deep.ts';

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: [value] };
  return value;
};

describe('deepCopy', () => {
  it('copies any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = deepCopy(value);
        assert.deepEqual(copy, value);
        assert.ok(deepEqual(copy, value));
      }),
    );
  });

  it('shares nothing, and keeps odd keys, BigInt and undefined', () => {
    const original = { a: [{ b: 1n }], u: undefined } as Record<string, unknown>;
    Object.defineProperty(original, '__proto__', {
      value: { x: 1 },
      enumerable: true,
      configurable: true,
      writable: true,
    });
    const copy = deepCopy(original);
    assert.deepEqual(copy, original);
    assert.deepEqual(Object.keys(copy), ['a', 'u', '__proto__']);
    assert.notEqual(copy['a'], original['a']);
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });

  it('copies and compares very deep values', () => {
    const value = deep(50_000);
    assert.ok(deepEqual(deepCopy(value), value));
    assert.ok(!deepEqual(value, deep(49_999)));
  });
});

describe('deepEqual', () => {
  it('agrees with assert.deepEqual on pairs', () => {
    const small = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(small, small, (a, b) => {
        let same = true;
        try {
          assert.deepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
        } catch {
          same = false;
        }
        assert.equal(deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))), same);
      }),
    );
  });

  const cases: [unknown, unknown, boolean, boolean][] = [
    [{ a: undefined }, {}, true, true],
    [{}, { a: undefined, b: 1 }, false, false],
    [{ a: null }, {}, false, true],
    [{ a: [] }, {}, false, true],
    [{}, { a: {} }, false, true],
    [{ a: [] }, { a: {} }, false, true],
    [undefined, {}, false, true],
    [{ a: '' }, {}, false, false],
    [{ a: 0 }, {}, false, false],
    [{ a: { b: [] } }, {}, false, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true, true],
    [[1, 2], [2, 1], false, false],
    [[1], { 0: 1 }, false, false],
    [5n, 5, true, true],
    [1, 1n, true, true],
    [1.5, 1n, false, false],
    ['1', 1, false, false],
    [{ toString: 1 }, {}, false, false],
  ];
  for (const [a, b, exact, semantic] of cases) {
    it(`${typeof a === 'bigint' ? a : JSON.stringify(a)} and ${typeof b === 'bigint' ? b : JSON.stringify(b)}`, () => {
      assert.equal(deepEqual(a, b), exact);
      assert.equal(deepEqual(b, a), exact);
      assert.equal(semanticDeepEqual(a, b), semantic);
      assert.equal(semanticDeepEqual(b, a), semantic);
    });
  }
});
