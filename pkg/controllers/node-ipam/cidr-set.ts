import { addressBytes, addressNumber, formatIp, parseCidr, type Cidr } from '../../apimachinery/names/ip.ts';

/** Bits between the range of a cluster and that of a node at most, by the bytes of an address: a bit for each range. */
const NODE_BITS_MAX: Readonly<Record<number, number>> = { 4: 24, 16: 16 };

/** A range that was given, and how many ones before it were looked at that are taken. */
export interface AllocatedCidr {
  readonly range: string;
  readonly skipped: number;
}

/** The ranges of one size that a large range is divided into, and which of them are taken. */
export class CidrSet {
  private readonly cidr: Cidr;
  private readonly maskBits: number;
  private readonly base: bigint;
  private readonly count: number;
  readonly range: string;
  private readonly bitmap: Uint8Array;
  private taken = 0;
  /** Ranges are taken in turns, so that one which was released is not taken again at once. */
  private next = 0;

  /** Throws where `range` is none, or cannot be divided so. */
  constructor(range: string, maskBits: number) {
    const cidr = parseCidr(range);
    if (cidr === undefined) throw new Error(`${range} is no range of addresses`);
    const nodeBits = maskBits - cidr.prefixBits;
    const bytes = cidr.base.length;
    if (nodeBits < 0 || maskBits > bytes * 8) throw new Error(`${range} cannot be divided into ranges of /${maskBits}`);
    const bitsMax = NODE_BITS_MAX[bytes]!;
    if (nodeBits > bitsMax) throw new Error(`/${maskBits} in ${range} differ by more than ${bitsMax} bits`);
    this.range = range;
    this.cidr = cidr;
    this.maskBits = maskBits;
    this.base = addressNumber(cidr.base);
    this.count = 2 ** nodeBits;
    this.bitmap = new Uint8Array(Math.ceil(this.count / 8));
  }

  /** Whether it holds ranges of the family of this one. */
  isFamilyOf(range: string): boolean {
    return parseCidr(range)?.base.length === this.cidr.base.length;
  }

  /** Of how many ranges how many are taken. */
  get figures(): { readonly count: number; readonly taken: number } {
    return { count: this.count, taken: this.taken };
  }

  /** Undefined: all are taken. */
  allocate(): AllocatedCidr | undefined {
    if (this.taken === this.count) return undefined;
    let skipped = 0;
    for (; this.isTaken(this.next); skipped++) this.next = (this.next + 1) % this.count;
    const index = this.next;
    this.mark(index, true);
    this.next = (index + 1) % this.count;
    const bytes = this.cidr.base.length;
    const address = this.base + (BigInt(index) << BigInt(bytes * 8 - this.maskBits));
    return { range: `${formatIp(addressBytes(address, bytes))}/${this.maskBits}`, skipped };
  }

  /** Takes whatever overlaps with a range, which may be of another size; gives how many became taken. */
  occupy(range: string): number {
    return this.markAll(range, true);
  }

  /** Gives how many became free. */
  release(range: string): number {
    return this.markAll(range, false);
  }

  private markAll(range: string, isTaken: boolean): number {
    const before = this.taken;
    const cidr = parseCidr(range);
    if (cidr === undefined || cidr.base.length !== this.cidr.base.length) return 0;
    const bits = cidr.base.length * 8;
    const shift = BigInt(bits - this.maskBits);
    const first = addressNumber(cidr.base) - this.base;
    const last = first + (1n << BigInt(bits - cidr.prefixBits)) - 1n;
    if (last < 0n || first >> shift >= BigInt(this.count)) return 0;
    const end = last >> shift >= BigInt(this.count) ? this.count - 1 : Number(last >> shift);
    for (let index = first < 0n ? 0 : Number(first >> shift); index <= end; index++) this.mark(index, isTaken);
    return Math.abs(this.taken - before);
  }

  private isTaken(index: number): boolean {
    return (this.bitmap[index >> 3]! & (1 << (index & 7))) !== 0;
  }

  private mark(index: number, isTaken: boolean): void {
    if (this.isTaken(index) === isTaken) return;
    this.bitmap[index >> 3]! ^= 1 << (index & 7);
    this.taken += isTaken ? 1 : -1;
  }
}
