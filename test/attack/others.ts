import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../fixtures/api-client.ts';
import type { AttackTarget } from './attack.ts';

/**
 * A program that gets its target by message: another user of a server under attack, in a separate process, since the
 * attacker's is busy. Gets one object after another until any second message.
 */

export interface OthersFigures {
  /** Of the gets, milliseconds. */
  readonly p99Ms: number;
  readonly slowestMs: number;
  /** Gets that were not answered 200. */
  readonly refused: number;
}

/** Between two gets. */
const PAUSE_MS = 5;

async function getUntil(over: () => boolean, { url, token }: AttackTarget): Promise<OthersFigures> {
  const client = new ApiClient(url, token);
  const took: number[] = [];
  let refused = 0;
  while (!over()) {
    const startedAtMs = performance.now();
    const status = await client.send('GET', '/api/v1/namespaces/default', { timeoutMs: 120_000 }).then(
      (answer) => answer.status,
      () => 0,
    );
    took.push(performance.now() - startedAtMs);
    if (status !== 200) refused++;
    if (took.length === 1) process.send!('ready');
    await sleep(PAUSE_MS);
  }
  client.close();
  // The first opened the connection.
  const sorted = took.slice(1).sort((a, b) => a - b);
  return { p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0, slowestMs: sorted.at(-1) ?? 0, refused };
}

process.once('message', (target: AttackTarget) => {
  let over = false;
  process.once('message', () => {
    over = true;
  });
  void getUntil(() => over, target).then((figures) => process.send!(figures, () => process.disconnect()));
});
