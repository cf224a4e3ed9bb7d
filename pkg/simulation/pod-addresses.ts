/** Gives addresses to pods, out of the ranges of their nodes; nodes without one share a range. */
export class PodAddresses {
  private readonly ranges = new Map<string, AddressRange>();
  private readonly byPod = new Map<string, { readonly range: AddressRange; readonly address: string }>();

  /** The address of a pod, the same for the same uid until it is released; `known`: the one that it has already. */
  of(uid: string, cidr: string | undefined, known: string | undefined): string {
    const found = this.byPod.get(uid);
    if (found !== undefined) return found.address;
    let range = this.ranges.get(cidr ?? '');
    if (range === undefined) this.ranges.set(cidr ?? '', (range = new AddressRange(cidr)));
    const address = known === undefined ? range.take() : range.keep(known);
    this.byPod.set(uid, { range, address });
    return address;
  }

  release(uid: string): void {
    const found = this.byPod.get(uid);
    if (found === undefined) return;
    this.byPod.delete(uid);
    found.range.release(found.address);
  }
}

/** The addresses of one range of IPv4. */
class AddressRange {
  private readonly used = new Set<string>();
  private readonly base: number;
  private readonly size: number;
  private next = 1;

  /** `cidr`: of IPv4; all else: the range that is shared. */
  constructor(cidr: string | undefined) {
    const [, a, b, c, d, bits] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr ?? '') ?? [];
    this.base =
      a === undefined ? 0x0a_f4_00_00 : ((Number(a) << 24) | (Number(b) << 16) | (Number(c) << 8) | Number(d)) >>> 0;
    this.size = 2 ** (32 - (bits === undefined ? 16 : Number(bits)));
  }

  take(): string {
    let address = this.text(this.next);
    for (let tries = 0; this.used.has(address) && tries < this.size; tries++) address = this.text(++this.next);
    this.next++;
    return this.keep(address);
  }

  keep(address: string): string {
    this.used.add(address);
    return address;
  }

  release(address: string): void {
    this.used.delete(address);
  }

  /** Without the first and the last address of the range. */
  private text(offset: number): string {
    const value = this.base + 1 + ((offset - 1) % Math.max(1, this.size - 2));
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  }
}
