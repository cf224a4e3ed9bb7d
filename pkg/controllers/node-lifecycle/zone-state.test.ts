import assert from 'node:assert/strict';
import { rateIn, ZoneStates, zoneState } from './zone-state.ts';

const RATES = { evictionRate: 0.1, secondaryEvictionRate: 0.01, largeClusterSize: 50, unhealthyZoneThreshold: 0.55 };

describe('zoneState', () => {
  const cases = [
    [10, 0, 'Normal'],
    [0, 1, 'FullDisruption'],
    [0, 0, 'Normal'],
    [1, 2, 'Normal'],
    [1, 3, 'PartialDisruption'],
    [3, 3, 'Normal'],
    [45, 55, 'PartialDisruption'],
    [46, 54, 'Normal'],
  ] as const;
  for (const [ready, notReady, state] of cases)
    it(`is ${state} with ${notReady} lost of ${ready + notReady}`, () =>
      assert.equal(zoneState({ ready, notReady }, 0.55), state));

  it('slows evictions down in a large zone that is disrupted, and stops them in a small one', () => {
    assert.equal(rateIn('PartialDisruption', 50, RATES), 0);
    assert.equal(rateIn('PartialDisruption', 51, RATES), 0.01);
    assert.equal(rateIn('FullDisruption', 10, RATES), 0.1);
    assert.equal(rateIn('Normal', 10, RATES), 0.1);
  });
});

describe('ZoneStates', () => {
  it('changes rates as zones change, and stops all where every zone is lost', () => {
    const states = new ZoneStates(RATES);
    const update = (zones: Record<string, readonly [ready: number, notReady: number]>): unknown[] => {
      const counts = Object.entries(zones).map(([zone, [ready, notReady]]) => [zone, { ready, notReady }] as const);
      const { rates, everywhere } = states.update(new Map(counts));
      return [Object.fromEntries(rates), everywhere];
    };
    assert.deepEqual(update({}), [{}, undefined]);
    assert.deepEqual(update({ a: [5, 0], b: [5, 0] }), [{ a: 0.1, b: 0.1 }, undefined]);
    assert.deepEqual(update({ a: [1, 4], b: [5, 0] }), [{ a: 0 }, undefined]);
    assert.deepEqual(update({ a: [0, 5], b: [5, 0] }), [{ a: 0.1 }, undefined]);
    assert.deepEqual(update({ a: [0, 5], b: [0, 5] }), [{ a: 0, b: 0 }, 'begins']);
    assert.deepEqual(update({ a: [0, 5], b: [0, 5] }), [{}, undefined]);
    assert.deepEqual(update({ a: [0, 5], b: [1, 4] }), [{ a: 0.1, b: 0 }, 'ends']);
    assert.deepEqual(update({ b: [1, 4] }), [{}, undefined]);
  });
});
