import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedDatabase } from './database.ts';
import { ExpirySweeper } from './expiry-sweeper.ts';

describe('ExpirySweeper', () => {
  it('reports a sweep that fails, and sweeps again', async () => {
    let sweeps = 0;
    const reported: string[] = [];
    const getRange = (): never[] => {
      if (++sweeps === 2) throw new Error('the disk is away');
      return [];
    };
    const sweeper = new ExpirySweeper({
      database: { tables: { expiry: { getRange } } } as unknown as EmbeddedDatabase,
      intervalMs: 5,
      now: () => 0,
      expire: () => Promise.resolve(),
      report: (task, error) => reported.push(`${task}: ${(error as Error).message}`),
    });
    while (sweeps < 4) await sleep(5);
    await sweeper.stop();
    assert.deepEqual(reported, ['expiry of keys: the disk is away']);
  });
});
