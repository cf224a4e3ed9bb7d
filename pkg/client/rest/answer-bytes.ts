import type { Readable } from 'node:stream';
import { ConnectionError } from './client.ts';

/** Reads an answer to its end. Rejects when it breaks off, or is larger than the bound. */
export function answerBytes(body: Readable, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) body.destroy(new ConnectionError(`the answer is larger than ${bytesMax} bytes`));
      else chunks.push(chunk);
    });
    body.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
    body.once('error', reject);
    body.once('close', () => reject(new ConnectionError('the answer broke off')));
  });
}

/** Reads and drops an answer, so that its connection can be used again. */
export function discardAnswer(body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => reject(new ConnectionError('the answer broke off')));
    body.resume();
  });
}
