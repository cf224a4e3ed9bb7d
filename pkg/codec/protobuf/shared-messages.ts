import { deepFreeze } from '../../apimachinery/json/deep-freeze.ts';
import type { MessageCache, Reader } from './wire.ts';

/** Larger messages are seldom the same in two objects. Bytes. */
const LENGTH_MAX = 256;
/** Number of cached messages; a power of two. */
const SLOTS = 1024;

/**
 * Reads a nested message that was read before as the same object. The tolerations, probes, conditions and owners of the
 * pods of a deployment are equal byte for byte: a client that keeps decoded objects saves half of their memory, and
 * decoding them.
 *
 * What it returns is frozen, as it belongs to many objects. Bounded: a message takes the place of another one.
 */
export class SharedMessages implements MessageCache {
  private readonly bytes = Buffer.alloc(SLOTS * LENGTH_MAX);
  private readonly lengths = new Uint16Array(SLOTS);
  private readonly types = new Uint16Array(SLOTS);
  private readonly objects: (object | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

  read<T extends object>(r: Reader, end: number, read: (r: Reader, end: number) => T, type: number): T {
    const start = r.pos;
    const length = end - start;
    if (length > LENGTH_MAX) return read(r, end);
    const { buf } = r;
    let hash = type;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + buf[i]!) | 0;
    hash = Math.imul(hash, 0x9e3779b1);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const known = this.objects[slot];
    if (known !== undefined && this.types[slot] === type && this.isAt(slot, buf, start, length)) {
      r.pos = end;
      return known as T;
    }
    const object = deepFreeze(read(r, end));
    this.bytes.set(buf.subarray(start, end), slot * LENGTH_MAX);
    this.lengths[slot] = length;
    this.types[slot] = type;
    this.objects[slot] = object;
    return object;
  }

  private isAt(slot: number, buf: Uint8Array, start: number, length: number): boolean {
    if (this.lengths[slot] !== length) return false;
    const { bytes } = this;
    const at = slot * LENGTH_MAX;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== buf[start + i]) return false;
    return true;
  }
}
