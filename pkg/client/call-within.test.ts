import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { sleep, systemClock } from '../apimachinery/clock.ts';
import { callWithin } from './call-within.ts';

/** What the runtime warns of while `work` runs. */
async function warningsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const found: string[] = [];
  const take = ({ message }: Error): void => void found.push(message);
  process.on('warning', take);
  try {
    await work();
    // Warnings come in a later turn.
    await pause(1);
    return found;
  } finally {
    process.off('warning', take);
  }
}

describe('callWithin', () => {
  it('ends twenty calls by one signal, and the runtime takes that for no leak', async () => {
    const stopping = new AbortController();
    const never = (): Promise<void> => new Promise(() => undefined);
    const warnings = await warningsOf(async () => {
      const calls = Array.from({ length: 20 }, () => callWithin(systemClock, 60_000, stopping.signal, never));
      const waits = Array.from({ length: 20 }, () => sleep(systemClock, 60_000, stopping.signal));
      stopping.abort(new Error('stopped'));
      for (const call of calls) await assert.rejects(call, /stopped/);
      await Promise.all(waits);
    });
    assert.deepEqual(warnings, []);
  });
});
