/** Values that prove that they are whole, and which write they come from. */
import { createHash } from 'node:crypto';

const digestBytes = 32;

/** A value of varying size that names its key and its number among the key's writes. */
export function makePayload(key: string, sequence: number): Buffer {
  const head = Buffer.from(JSON.stringify({ key, sequence }));
  const filler = Buffer.alloc((sequence * 379) % 6000, sequence % 256);
  const body = Buffer.concat([Buffer.from([head.length]), head, filler]);
  return Buffer.concat([createHash('sha256').update(body).digest(), body]);
}

/** The write's number. Throws when the value is not exactly what was written to the key. */
export function readPayload(key: string, value: Uint8Array): number {
  const body = Buffer.from(value).subarray(digestBytes);
  const digest = createHash('sha256').update(body).digest();
  if (!digest.equals(Buffer.from(value).subarray(0, digestBytes))) throw new Error(`the value of ${key} is damaged`);
  const head = JSON.parse(body.toString('utf8', 1, 1 + body[0]!)) as { key: string; sequence: number };
  if (head.key !== key) throw new Error(`the value of ${key} belongs to ${head.key}`);
  return head.sequence;
}
