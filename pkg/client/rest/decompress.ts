import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import type { HttpAnswer } from './http-transport.ts';

/** The answer with its body as it was before the server compressed it. */
export function decompressed(answer: HttpAnswer): HttpAnswer {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  // Flushes as the server does: an event of a watch is not held back until the next one.
  const body = createGunzip({ flush: constants.Z_SYNC_FLUSH });
  // The failure of either end reaches the reader by the other.
  pipeline(answer.body, body, () => undefined);
  return { ...answer, body };
}
