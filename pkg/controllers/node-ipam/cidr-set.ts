import { addressBytes, addressNumber, formatIp, parseCidr, type Cidr } from '../../apimachinery/names/ip.ts';

/** Bits between the range of a cluster and that of a node at most: so many nodes are counted one by one. */
const NODE_BITS_MAX = 16;

/** The ranges of one size that a large range is divided into, and which of them are taken. */
export class CidrSet {
  private readonly cidr: Cidr;
  private readonly maskBits: number;
  private readonly base: bigint;
  private readonly count: number;
  readonly range: string;
  private readonly taken = new Set<number>();
  /** Ranges are taken in turns, so that one which was released is not taken again at once. */
  private next = 0;

  /** Throws where `range` is none, or cannot be divided so. */
  constructor(range: string, maskBits: number) {
    const cidr = parseCidr(range);
    if (cidr === undefined) throw new Error(`${range} is no range of addresses`);
    const nodeBits = maskBits - cidr.prefixBits;
    if (nodeBits < 0 || maskBits > cidr.base.length * 8)
      throw new Error(`${range} cannot be divided into ranges of /${maskBits}`);
    if (nodeBits > NODE_BITS_MAX) throw new Error(`/${maskBits} in ${range} differ by more than ${NODE_BITS_MAX} bits`);
    this.range = range;
    this.cidr = cidr;
    this.maskBits = maskBits;
    this.base = addressNumber(cidr.base);
    this.count = 2 ** nodeBits;
  }

  /** Whether it holds ranges of the family of this one. */
  isFamilyOf(range: string): boolean {
    return parseCidr(range)?.base.length === this.cidr.base.length;
  }

  /** Of how many ranges how many are taken. */
  get figures(): { readonly count: number; readonly taken: number } {
    return { count: this.count, taken: this.taken.size };
  }

  /** Undefined: all are taken. */
  allocate(): string | undefined {
    if (this.taken.size === this.count) return undefined;
    while (this.taken.has(this.next)) this.next = (this.next + 1) % this.count;
    const index = this.next;
    this.taken.add(index);
    this.next = (index + 1) % this.count;
    const bytes = this.cidr.base.length;
    const address = this.base + (BigInt(index) << BigInt(bytes * 8 - this.maskBits));
    return `${formatIp(addressBytes(address, bytes))}/${this.maskBits}`;
  }

  /** Takes whatever overlaps with a range, which may be of another size. */
  occupy(range: string): void {
    this.eachIn(range, (index) => this.taken.add(index));
  }

  release(range: string): void {
    this.eachIn(range, (index) => this.taken.delete(index));
  }

  private eachIn(range: string, visit: (index: number) => void): void {
    const cidr = parseCidr(range);
    if (cidr === undefined || cidr.base.length !== this.cidr.base.length) return;
    const bits = cidr.base.length * 8;
    const shift = BigInt(bits - this.maskBits);
    const first = addressNumber(cidr.base) - this.base;
    const last = first + (1n << BigInt(bits - cidr.prefixBits)) - 1n;
    if (last < 0n || first >> shift >= BigInt(this.count)) return;
    const end = Math.min(this.count - 1, Number(last >> shift));
    for (let index = Math.max(0, Number(first >> shift)); index <= end; index++) visit(index);
  }
}
