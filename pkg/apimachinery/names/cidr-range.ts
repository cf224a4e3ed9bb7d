import type { Cidr } from './ip.ts';

/** What lies in a CIDR. */
export class CidrRange {
  protected readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    this.cidr = cidr;
  }

  /** Whether the address lies in the CIDR and may be a host's: not the network's own, nor IPv4's broadcast address. */
  has(address: Uint8Array): boolean {
    if (!this.covers(address)) return false;
    const hostBits = address.length * 8 - this.cidr.prefixBits;
    return !isHostPart(address, hostBits, 0) && (address.length === 16 || !isHostPart(address, hostBits, 0xff));
  }

  /** Whether every address of the other CIDR lies in this one. */
  contains(other: CidrRange): boolean {
    return other.cidr.prefixBits >= this.cidr.prefixBits && this.covers(other.cidr.base);
  }

  /** Whether the address lies in the CIDR, be it the network's own. */
  covers(address: Uint8Array): boolean {
    const { base, prefixBits } = this.cidr;
    return (
      address.length === base.length &&
      base.every((byte, i) => ((byte ^ address[i]!) & prefixMask(prefixBits - i * 8)) === 0)
    );
  }
}

/** Whether all bits behind the prefix are those of `byte`, 0 or 0xff. */
function isHostPart(address: Uint8Array, hostBits: number, byte: number): boolean {
  const prefixBits = address.length * 8 - hostBits;
  return address.every((have, i) => ((have ^ byte) & ~prefixMask(prefixBits - i * 8) & 0xff) === 0);
}

/** The mask of a byte of which the first `bits` belong to the prefix. */
function prefixMask(bits: number): number {
  return (0xff00 >> Math.min(8, Math.max(0, bits))) & 0xff;
}
