import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { IntervalCompaction } from './interval-compaction.ts';

describe('interval compaction', () => {
  it('compacts to the revision of the interval before, also after a failure', async () => {
    let revision = 100;
    const compacted: number[] = [];
    let failures = 1;
    const reported: string[] = [];
    const compaction = new IntervalCompaction(
      {
        currentRevision: async () => revision++,
        compact: async (to) => {
          if (failures-- > 0) throw new Error('not now');
          compacted.push(to);
        },
      },
      10,
      (task, error) => reported.push(`${task}: ${(error as Error).message}`),
    );
    while (compacted.length < 3) await sleep(5);
    compaction.stop();
    // The failed turn did not advance: the next compacts to the same revision.
    assert.deepEqual(compacted.slice(0, 3), [100, 102, 103]);
    assert.deepEqual(reported, ['history compaction: not now']);
    const done = compacted.length;
    await sleep(40);
    assert.equal(compacted.length, done);
  });
});
