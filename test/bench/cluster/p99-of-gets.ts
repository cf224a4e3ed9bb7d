import { setTimeout as sleep } from 'node:timers/promises';
import { namespaces } from '../../../pkg/api/core/tokens.ts';
import type { Client } from '../../../pkg/client/rest/client.ts';
import { Meter } from '../client/meter.ts';

const PAUSE_MS = 50;

/** Gets one object, some twenty times a second, while something runs: the 99th percentile, in milliseconds. */
export async function p99OfGets(client: Client, work: () => Promise<unknown>): Promise<number> {
  const meter = new Meter(undefined);
  let isDone = false;
  const get = async (): Promise<void> => {
    for (; !isDone; await sleep(PAUSE_MS)) {
      const startMs = performance.now();
      await client.get(namespaces, { name: 'default' });
      meter.record(performance.now() - startMs, 0);
    }
  };
  meter.start();
  await Promise.all([work().finally(() => (isDone = true)), get()]);
  return meter.stop().p99Ms;
}
