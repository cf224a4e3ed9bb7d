import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { LeasePool } from './lease-pool.ts';

describe('lease pool', () => {
  let now: number;
  let granted: number[];
  let pool: LeasePool;
  let replaced: number[];
  beforeEach(() => {
    now = 0;
    granted = [];
    replaced = [];
    pool = new LeasePool({
      now: () => now,
      grant: async (ttlSeconds) => `${granted.push(ttlSeconds)}`,
      onReplaced: (keys) => replaced.push(keys),
    });
  });

  it('shares a lease within the window, and grants the window on top', async () => {
    const ids = await Promise.all([pool.lease(3600), pool.lease(3600)]);
    now = 60_000;
    ids.push(await pool.lease(3600));
    assert.deepEqual([ids, granted], [['1', '1', '1'], [3660]]);
    now = 60_001;
    assert.equal(await pool.lease(3600), '2');
    assert.deepEqual(replaced, [3]);
  });

  it('never shortens a lifetime, and keeps lifetimes apart', async () => {
    assert.equal(await pool.lease(1), '1');
    now = 1;
    assert.equal(await pool.lease(1), '2');
    assert.equal(await pool.lease(100), '3');
    assert.deepEqual(granted, [1, 1, 105]);
  });

  it('bounds the keys of a lease', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 1001; i++) ids.add(await pool.lease(3600));
    assert.deepEqual([...ids], ['1', '2']);
  });

  it('grants a new lease after a failure or a lost lease', async () => {
    let broken = true;
    pool = new LeasePool({
      now: () => now,
      grant: async (ttlSeconds) => {
        if (broken) throw new Error('no leader');
        return `${granted.push(ttlSeconds)}`;
      },
    });
    await assert.rejects(pool.lease(3600), /no leader/);
    broken = false;
    assert.equal(await pool.lease(3600), '1');
    pool.drop('1');
    await setImmediate();
    assert.equal(await pool.lease(3600), '2');
  });
});
