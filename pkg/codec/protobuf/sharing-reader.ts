import protobuf from 'protobufjs/minimal.js';
import { endOf, type MessageCache, type Reader } from './wire.ts';

/** Longer strings are seldom the same in two objects, and more expensive to compare. Bytes. */
const LENGTH_MAX = 48;
/** Number of cached strings; a power of two. */
const SLOTS = 4096;

const known: string[] = Array.from({ length: SLOTS }, () => '');

/**
 * Reads a string that was read before as the same string. Most strings of an object (images, ports, paths, label
 * values) occur in others too, and decoded objects stay in memory: it saves a quarter of that, and the cost of making a
 * new string.
 */
class SharingReader extends protobuf.BufferReader {
  readonly messages: MessageCache | undefined;

  constructor(buf: Buffer, messages: MessageCache | undefined) {
    super(buf);
    this.messages = messages;
  }

  override string(): string {
    const end = endOf(this);
    const start = this.pos;
    this.pos = end;
    const buf = this.buf as Buffer;
    return end - start > LENGTH_MAX ? buf.toString('utf8', start, end) : shared(buf, start, end);
  }
}

function shared(buf: Buffer, start: number, end: number): string {
  const length = end - start;
  let hash = length;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + buf[i]!) | 0;
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  const candidate = known[slot]!;
  if (candidate.length === length && equals(candidate, buf, start)) return candidate;
  const text = buf.toString('utf8', start, end);
  // Non-ASCII text is shorter than its bytes, or was broken: it would never be found again.
  if (text.length === length) known[slot] = text;
  return text;
}

function equals(text: string, buf: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== buf[start + i]) return false;
  return true;
}

/** A reader at the first of the bytes. With `messages` equal parts of what it reads are one frozen object. */
export function readerOf(bytes: Uint8Array, messages?: MessageCache): Reader {
  return new SharingReader(
    Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    messages,
  );
}
