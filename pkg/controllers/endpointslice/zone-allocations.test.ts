import assert from 'node:assert/strict';
import { allocationsOf, isOverloaded, zoneMoves } from './zone-allocations.ts';

describe('the division of endpoints among zones', () => {
  const shares = new Map([
    ['a', 0.5],
    ['b', 0.3],
    ['c', 0.2],
  ]);

  it('allows each zone as many as leave the others their minimum', () => {
    const allocations = allocationsOf(shares, 10);
    assert.ok(typeof allocations !== 'string');
    assert.deepEqual(Object.fromEntries(allocations), {
      a: { minimum: 5, desired: 5, maximum: 5 },
      b: { minimum: 3, desired: 3, maximum: 3 },
      c: { minimum: 2, desired: 2, maximum: 2 },
    });
  });

  it('says why there is none', () => {
    assert.match(String(allocationsOf(undefined, 10)), /^Insufficient Node information/);
    assert.equal(allocationsOf(shares, 2), 'Insufficient number of endpoints (2 endpoints, 3 zones)');
    const thirds = new Map(['a', 'b', 'c'].map((zone) => [zone, 1 / 3]));
    assert.equal(
      allocationsOf(thirds, 5),
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (5 endpoints, 3 zones)',
    );
  });

  it('moves whole endpoints from zones that have too many', () => {
    const allocations = allocationsOf(shares, 10);
    assert.ok(typeof allocations !== 'string');
    const { giving, receiving } = zoneMoves(allocations, new Map([['a', 10]]));
    assert.deepEqual([Object.fromEntries(giving), Object.fromEntries(receiving)], [{ a: 5 }, { b: 3, c: 2 }]);
  });

  it('notices a zone that has less than its minimum', () => {
    const two = new Map([
      ['a', 0.5],
      ['b', 0.5],
    ]);
    const counts = (a: number, b: number): Map<string, number> =>
      new Map([
        ['a', a],
        ['b', b],
      ]);
    assert.equal(isOverloaded(counts(3, 3), two), false);
    assert.equal(isOverloaded(counts(5, 1), two), true);
    assert.equal(isOverloaded(counts(3, 3), undefined), true);
  });
});
