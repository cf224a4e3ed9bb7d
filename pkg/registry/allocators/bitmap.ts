/**
 * The taken offsets of a range. The byte form is that of a stock server: one large integer, most significant byte first
 * and without leading zeros, whose bit `n` is offset `n`.
 */
export class Bitmap {
  readonly size: number;
  /** Least significant byte first: offset `n` is bit `n & 7` of byte `n >> 3`. */
  private readonly bytes: Uint8Array;
  private taken = 0;

  constructor(size: number) {
    this.size = size;
    this.bytes = new Uint8Array(Math.ceil(size / 8));
  }

  /** Reads the byte form; bits beyond `size` are dropped. */
  static fromBytes(stored: Uint8Array, size: number): Bitmap {
    const bitmap = new Bitmap(size);
    const used = Math.min(stored.length, bitmap.bytes.length);
    for (let i = 0; i < used; i++) bitmap.bytes[i] = stored[stored.length - 1 - i]!;
    const spare = bitmap.bytes.length * 8 - size;
    if (spare > 0 && bitmap.bytes.length > 0) bitmap.bytes[bitmap.bytes.length - 1]! &= 0xff >> spare;
    for (const byte of bitmap.bytes) bitmap.taken += bitCount(byte);
    return bitmap;
  }

  toBytes(): Uint8Array {
    let used = this.bytes.length;
    while (used > 0 && this.bytes[used - 1] === 0) used--;
    return this.bytes.slice(0, used).reverse();
  }

  clone(): Bitmap {
    const copy = new Bitmap(this.size);
    copy.bytes.set(this.bytes);
    copy.taken = this.taken;
    return copy;
  }

  get count(): number {
    return this.taken;
  }

  get free(): number {
    return this.size - this.taken;
  }

  has(offset: number): boolean {
    return offset >= 0 && offset < this.size && (this.bytes[offset >> 3]! & (1 << (offset & 7))) !== 0;
  }

  /** False when the offset was taken before or lies outside. */
  add(offset: number): boolean {
    if (offset < 0 || offset >= this.size || this.has(offset)) return false;
    this.bytes[offset >> 3]! |= 1 << (offset & 7);
    this.taken++;
    return true;
  }

  /** False when the offset was free. */
  delete(offset: number): boolean {
    if (!this.has(offset)) return false;
    this.bytes[offset >> 3]! &= ~(1 << (offset & 7));
    this.taken--;
    return true;
  }

  /** The first free offset from `from` on and before `to`; undefined when all of them are taken. */
  firstFree(from: number, to: number): number | undefined {
    for (let offset = from; offset < to; offset++) {
      if ((offset & 7) === 0 && this.bytes[offset >> 3] === 0xff) offset += 7;
      else if (!this.has(offset)) return offset;
    }
    return undefined;
  }

  equals(other: Bitmap): boolean {
    return this.size === other.size && Buffer.compare(this.bytes, other.bytes) === 0;
  }

  /** The taken offsets in order. */
  *offsets(): Generator<number> {
    for (const [i, byte] of this.bytes.entries()) {
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield i * 8 + bit;
    }
  }
}

function bitCount(byte: number): number {
  let count = 0;
  for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  return count;
}
