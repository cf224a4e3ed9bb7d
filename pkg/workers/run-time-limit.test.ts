import assert from 'node:assert/strict';
import { markStarted, RunTimeLimit } from './run-time-limit.ts';

const abort = (limit: RunTimeLimit): Promise<number> => {
  const began = performance.now();
  return new Promise((resolve) => limit.signal.addEventListener('abort', () => resolve(performance.now() - began)));
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('RunTimeLimit', () => {
  it('ends a task that waits too long', async () => {
    const limit = new RunTimeLimit({ waitMsMax: 60, runMsMax: 20 });
    const ms = await abort(limit);
    assert.equal(limit.passed, 'waiting');
    assert.ok(ms >= 55, String(ms));
  });

  it('counts from the mark on, after any wait', async () => {
    const limit = new RunTimeLimit({ waitMsMax: 10_000, runMsMax: 80 });
    const aborted = abort(limit);
    await sleep(150);
    assert.equal(limit.signal.aborted, false);
    markStarted(limit.mark);
    const ms = await aborted;
    assert.equal(limit.passed, 'running');
    assert.ok(ms >= 225, String(ms));
  });

  it('leaves a task alone that ended in time', async () => {
    const limit = new RunTimeLimit({ waitMsMax: 20, runMsMax: 20 });
    markStarted(limit.mark);
    limit.stop();
    await sleep(60);
    assert.deepEqual([limit.signal.aborted, limit.passed], [false, undefined]);
  });
});
