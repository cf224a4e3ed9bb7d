import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, type Endpoint } from '../client/http-connection.ts';

const retryMs = 5;
const timeoutMs = 60_000;

/** Resolves when `/readyz` answers 200; rejects when it does not within a minute. */
export async function untilReady(endpoint: Endpoint): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const problem = await readyProblem(endpoint);
    if (problem === undefined) return;
    if (performance.now() > deadline) throw new Error(`${endpoint.url} did not become ready: ${problem}`);
    await sleep(retryMs);
  }
}

async function readyProblem(endpoint: Endpoint): Promise<string | undefined> {
  try {
    const connection = await HttpConnection.open(endpoint);
    try {
      const { status, body } = await connection.request('GET', '/readyz');
      return status === 200 ? undefined : `status ${status} ${body ?? ''}`;
    } finally {
      connection.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}
