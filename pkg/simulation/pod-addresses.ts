/** Gives addresses to the pods of one node out of its range, or of a range that all simulated nodes share. */
export class PodAddresses {
  private readonly byPod = new Map<string, string>();
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

  /** The address of a pod; the same for the same uid until it is released. */
  of(uid: string): string {
    const known = this.byPod.get(uid);
    if (known !== undefined) return known;
    let address = this.text(this.next);
    for (let tries = 0; this.used.has(address) && tries < this.size; tries++) address = this.text(++this.next);
    this.next++;
    this.used.add(address);
    this.byPod.set(uid, address);
    return address;
  }

  release(uid: string): void {
    const address = this.byPod.get(uid);
    if (address === undefined) return;
    this.byPod.delete(uid);
    this.used.delete(address);
  }

  /** Without the first and the last address of the range. */
  private text(offset: number): string {
    const value = this.base + 1 + ((offset - 1) % Math.max(1, this.size - 2));
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  }
}
