import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, type Endpoint } from '../client/http-connection.ts';

const retryMs = 5;
const timeoutMs = 60_000;

/** Why a server is not ready; `lasting` when waiting will not help. */
interface Problem {
  readonly text: string;
  readonly lasting: boolean;
}

/**
 * Resolves when `/readyz` answers 200; rejects when it does not within a minute, or at once when the token is refused.
 */
export async function untilReady(endpoint: Endpoint): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const problem = await readyProblem(endpoint);
    if (problem === undefined) return;
    if (problem.lasting || performance.now() > deadline)
      throw new Error(`${endpoint.url} is not ready: ${problem.text}`);
    await sleep(retryMs);
  }
}

async function readyProblem(endpoint: Endpoint): Promise<Problem | undefined> {
  try {
    const connection = await HttpConnection.open(endpoint);
    try {
      const { status, body } = await connection.request('GET', '/readyz');
      return status === 200
        ? undefined
        : { text: `status ${status} ${body ?? ''}`, lasting: status === 401 || status === 403 };
    } finally {
      connection.close();
    }
  } catch (error) {
    return { text: (error as Error).message, lasting: false };
  }
}
