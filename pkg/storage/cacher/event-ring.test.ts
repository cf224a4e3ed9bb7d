import assert from 'node:assert/strict';
import { ByteBudget } from './byte-budget.ts';
import { jsonFormat, valueOf } from './cacher-testing.ts';
import { CachedObject } from './cached-object.ts';
import { CachedEvent, EventRing } from './event-ring.ts';

const budget = new ByteBudget(1 << 20);

describe('EventRing', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000_000;
  });

  const open = (size: number, floor = 0): EventRing => new EventRing({ size, nowMs: () => nowMs }, floor);
  const push = (ring: EventRing, from: number, to: number, stepMs = 0): void => {
    for (let revision = from; revision <= to; revision++) {
      nowMs += stepMs;
      ring.push(
        new CachedEvent(
          revision,
          new CachedObject(`things/n/${revision}`, 'n', String(revision), revision, valueOf(), jsonFormat, budget),
          undefined,
          false,
        ),
      );
    }
  };
  const after = (ring: EventRing, revision: number): number[] | undefined =>
    ring.after(revision, 1000)?.map((e) => e.revision);

  it('keeps the newest changes within a number of bytes', () => {
    const ring = new EventRing({ size: 100, nowMs: () => nowMs, bytesMax: 10_000 }, 0);
    const value = Buffer.from(JSON.stringify({ metadata: {}, spec: { text: 'x'.repeat(900) } }));
    for (let revision = 1; revision <= 50; revision++) {
      ring.push(
        new CachedEvent(
          revision,
          new CachedObject('things/n/a', 'n', 'a', revision, value, jsonFormat, budget),
          undefined,
          false,
        ),
      );
      const kept = after(ring, ring.floor)!;
      assert.ok(kept.length <= 10 && kept.at(-1) === revision && kept[0] === ring.floor + 1, kept.join());
    }
    assert.ok(ring.floor >= 40);
    const large = Buffer.from(JSON.stringify({ spec: { text: 'x'.repeat(20_000) } }));
    ring.push(
      new CachedEvent(51, new CachedObject('things/n/a', 'n', 'a', 51, large, jsonFormat, budget), undefined, false),
    );
    assert.deepEqual(after(ring, 50), [51]);
  });

  it('returns the changes after a revision, or nothing where some of them have left the ring', () => {
    const ring = open(3, 10);
    assert.deepEqual([after(ring, 10), after(ring, 9)], [[], undefined]);
    push(ring, 11, 13, 100_000);
    assert.deepEqual([after(ring, 10), after(ring, 12), after(ring, 13)], [[11, 12, 13], [13], []]);
    push(ring, 14, 14, 100_000);
    assert.deepEqual([after(ring, 10), after(ring, 11), ring.floor], [undefined, [12, 13, 14], 11]);
  });

  it('stays at its size where changes are rare', () => {
    const ring = open(4);
    push(ring, 1, 50, 30_000);
    assert.deepEqual([ring.capacity, after(ring, 46), after(ring, 45)], [4, [47, 48, 49, 50], undefined]);
  });

  it('grows while changes come fast, to ten times its size', () => {
    const ring = open(4);
    push(ring, 1, 30);
    assert.deepEqual([ring.capacity, after(ring, 0)?.length], [32, 30]);
    push(ring, 31, 100);
    assert.deepEqual([ring.capacity, ring.floor, after(ring, 60)?.length, after(ring, 59)], [40, 60, 40, undefined]);
  });

  it('shrinks again when changes become rare, and keeps the newest', () => {
    const ring = open(4);
    push(ring, 1, 40);
    assert.equal(ring.capacity, 40);
    push(ring, 41, 100, 60_000);
    assert.deepEqual([ring.capacity, after(ring, 96), after(ring, 95)], [4, [97, 98, 99, 100], undefined]);
    for (let revision = ring.floor; revision < 100; revision++) assert.equal(after(ring, revision)?.[0], revision + 1);
  });

  it('keeps nothing at size 0', () => {
    const ring = open(0);
    assert.deepEqual(after(ring, 0), []);
    push(ring, 1, 3);
    assert.deepEqual([after(ring, 2), after(ring, 3)], [undefined, []]);
  });
});
