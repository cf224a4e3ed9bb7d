import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CachedObject } from './cached-object.ts';
import { newTree } from './resource-cache.ts';
import { Snapshots } from './snapshots.ts';

const KIB = 1024;
const object = (revision: number, bytes: number): CachedObject =>
  ({ revision, value: new Uint8Array(bytes) }) as unknown as CachedObject;

describe('Snapshots', () => {
  let nowMs: number;
  const open = (bytesMax = 100 * KIB): Snapshots => new Snapshots({ ttlMs: 1000, countMax: 3, bytesMax }, () => nowMs);

  beforeEach(() => {
    nowMs = 0;
  });

  it('are bounded in number and age', () => {
    const snapshots = open();
    for (let revision = 1; revision <= 4; revision++) snapshots.keep('pods/', revision, newTree());
    assert.deepEqual(
      [1, 2, 3, 4].map((revision) => snapshots.get('pods/', revision) !== undefined),
      [false, true, true, true],
    );
    nowMs = 1000;
    assert.equal(snapshots.get('pods/', 4), undefined);
    snapshots.expire();
    assert.equal(snapshots.size, 0);
  });

  it('are bounded in the bytes that only they hold, the oldest first', () => {
    const snapshots = open();
    snapshots.keep('pods/', 10, newTree());
    // What came after the snapshot is not in it, and another resource has separate snapshots.
    snapshots.replaced('pods/', object(11, 90 * KIB));
    snapshots.replaced('nodes/', object(5, 90 * KIB));
    assert.equal(snapshots.keptBytes, 0);
    snapshots.replaced('pods/', object(9, 60 * KIB));
    snapshots.keep('pods/', 20, newTree());
    snapshots.replaced('pods/', object(15, 30 * KIB));
    assert.ok(snapshots.get('pods/', 10) !== undefined && snapshots.keptBytes > 90 * KIB);
    snapshots.replaced('pods/', object(15, 30 * KIB));
    assert.deepEqual(
      [10, 20].map((revision) => snapshots.get('pods/', revision) !== undefined),
      [false, true],
    );
    assert.ok(snapshots.keptBytes < 62 * KIB);
    snapshots.replaced('pods/', object(15, 90 * KIB));
    assert.deepEqual([snapshots.size, snapshots.keptBytes], [0, 0]);
  });

  it('count what an older one still holds after the newest is gone', () => {
    const snapshots = open();
    snapshots.keep('pods/', 10, newTree());
    snapshots.keep('pods/', 20, newTree());
    snapshots.keep('pods/', 10, newTree());
    snapshots.replaced('pods/', object(5, 60 * KIB));
    nowMs = 500;
    snapshots.keep('pods/', 10, newTree());
    nowMs = 1200;
    snapshots.expire();
    assert.equal(snapshots.size, 1);
    assert.ok(snapshots.keptBytes > 60 * KIB);
    snapshots.replaced('pods/', object(5, 60 * KIB));
    assert.deepEqual([snapshots.size, snapshots.keptBytes], [0, 0]);
  });

  it('expire without another call', async () => {
    const snapshots = new Snapshots({ ttlMs: 30, countMax: 3, bytesMax: KIB });
    snapshots.keep('pods/', 1, newTree());
    await sleep(10);
    snapshots.keep('pods/', 2, newTree());
    for (let waited = 0; snapshots.size > 0 && waited < 5000; waited += 10) await sleep(10);
    assert.equal(snapshots.size, 0);
  });
});
