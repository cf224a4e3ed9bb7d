import type { Readable } from 'node:stream';
import { ConnectionError } from './client.ts';

/** Reads an answer to its end. Rejects when it breaks off, or is larger than the bound. */
export async function answerBytes(body: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) body.destroy(new ConnectionError(`the answer is larger than ${bytesMax} bytes`));
    else chunks.push(chunk);
  });
  await ended(body);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
}

/** Reads and drops an answer, so that its connection can be used again. */
export async function discardAnswer(body: Readable): Promise<void> {
  body.resume();
  await ended(body);
}

function ended(body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWhole = false;
    body.once('end', () => {
      isWhole = true;
      resolve();
    });
    body.once('error', reject);
    // Every answer closes: an error for each, with its stack, would cost more than the rest of this file.
    body.once('close', () => {
      if (!isWhole) reject(new ConnectionError('the answer broke off'));
    });
  });
}
