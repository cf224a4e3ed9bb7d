import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventLoopDelays } from './event-loop-delays.ts';

describe('EventLoopDelays', () => {
  /** A clock of its own, of which each look takes `turns` in order: the first one when counting starts. */
  async function countTurns(...turns: readonly number[]): Promise<EventLoopDelays> {
    const left = [...turns];
    const delays = new EventLoopDelays(() => left.shift() ?? Number.NaN);
    delays.start();
    while (left.length > 0) await sleep(5);
    delays.stop();
    return delays;
  }

  it('counts each turn with those that were about as late', async () => {
    const delays = await countTurns(0, 10, 20.5, 33, 1043, 5053, 5053);
    assert.deepEqual(delays.buckets(), [
      { upToMs: 1, count: 3, totalMs: 0.5 },
      { upToMs: 4, count: 1, totalMs: 2.5 },
      { upToMs: 1024, count: 1, totalMs: 1000 },
      { upToMs: Infinity, count: 1, totalMs: 4000 },
    ]);
  });

  it('notices work that does not end', async () => {
    const delays = new EventLoopDelays();
    delays.start();
    await sleep(30);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    await sleep(1);
    delays.stop();
    assert.ok(delays.buckets().some(({ upToMs }) => upToMs >= 128));
  });
});
