import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement } from '../figures.ts';
import type { HttpConnection } from './http-connection.ts';
import type { Meter } from './meter.ts';

/**
 * One operation of a row. Lanes run side by side, one to a connection; turns count up in each lane. Resolves with the
 * body bytes received, rejects when the answer is not the expected one.
 */
export type Operation = (connection: HttpConnection, lane: number, turn: number) => Promise<number>;

/**
 * Repeats the operation on every connection for a time, the warm-up not counted. Each connection has at most one
 * request on its way.
 */
export async function loopFor(
  operation: Operation,
  connections: readonly HttpConnection[],
  seconds: { readonly warmUp: number; readonly measured: number },
  meter: Meter,
): Promise<Measurement> {
  let done = false;
  let isMeasured = false;
  const turns = connections.map(() => 0);
  const lanes = Promise.all(
    connections.map(async (connection, lane) => {
      while (!done) {
        const startedAt = performance.now();
        const bytes = await operation(connection, lane, turns[lane]!);
        turns[lane] = turns[lane]! + 1;
        if (isMeasured) meter.record(performance.now() - startedAt, bytes);
      }
    }),
  );
  const window = (async () => {
    await sleep(seconds.warmUp * 1000);
    while (turns.includes(0) && !done) await sleep(2);
    meter.start();
    isMeasured = true;
    await sleep(seconds.measured * 1000);
    // A short window on slow operations must still see some.
    while (meter.count < connections.length && !done) await sleep(2);
    isMeasured = false;
    return meter.stop();
  })();
  try {
    // The lanes end before the window only by failing.
    await Promise.race([window, lanes]);
  } finally {
    done = true;
  }
  await lanes;
  return await window;
}

/**
 * Does the operation `count` times in all, spread over the connections; everything is measured. `turn` counts over all
 * lanes.
 */
export async function loopCount(
  operation: Operation,
  connections: readonly HttpConnection[],
  count: number,
  meter: Meter,
): Promise<Measurement> {
  let next = 0;
  meter.start();
  await Promise.all(
    connections.map(async (connection, lane) => {
      while (next < count) {
        const turn = next++;
        const startedAt = performance.now();
        const bytes = await operation(connection, lane, turn);
        meter.record(performance.now() - startedAt, bytes);
      }
    }),
  );
  return meter.stop();
}
