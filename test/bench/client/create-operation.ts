import { podsPath } from '../workload/names.ts';
import { podJson } from '../workload/pod.ts';
import type { Operation } from './closed-loop.ts';
import { expectStatus } from './expect-status.ts';

export const jsonBody = 'Content-Type: application/json\r\n';

/** Creates pod number `turn` of a namespace. */
export function createOperation(namespace: string): Operation {
  const path = podsPath(namespace);
  return async (connection, _lane, turn) =>
    expectStatus(await connection.request('POST', path, jsonBody, podJson(turn, namespace)), 201, 'create a pod').bytes;
}
