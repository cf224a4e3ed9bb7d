import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import { CidrRange } from '../../apimachinery/names/cidr-range.ts';
import { addressBytes, addressNumber, formatIp, parseCidr, type Cidr } from '../../apimachinery/names/ip.ts';
import { clusterIpsReserved } from './number-range.ts';

/** Shortest prefix of an IPv6 range from which addresses are allocated, bits. */
const IPV6_PREFIX_MIN = 64;

/**
 * The addresses of one CIDR of a ServiceCIDR. The network's own address is never allocated, nor is the broadcast
 * address of an IPv4 network. Offset 0 is the first allocatable one.
 */
export class AddressRange extends CidrRange {
  readonly text: string;
  readonly family: IpFamily;
  /** Number of allocatable addresses; of large IPv6 ranges not exact. */
  readonly size: number;
  /**
   * The first addresses, reserved for services that request one by name: others get them when all the rest is taken.
   */
  readonly reserved: number;
  private readonly first: bigint;

  private constructor(cidr: Cidr) {
    super(cidr);
    const bits = cidr.base.length * 8;
    const addresses = 2 ** (bits - cidr.prefixBits);
    this.family = bits === 32 ? 'IPv4' : 'IPv6';
    this.text = `${formatIp(cidr.base)}/${cidr.prefixBits}`;
    this.size = Math.max(0, Math.min(addresses, Number.MAX_SAFE_INTEGER) - (bits === 32 ? 2 : 1));
    this.reserved = clusterIpsReserved(addresses);
    this.first = addressNumber(cidr.base) + 1n;
  }

  /** Undefined where the text is no CIDR. */
  static parse(text: string): AddressRange | undefined {
    const cidr = parseCidr(text);
    return cidr === undefined ? undefined : new AddressRange(cidr);
  }

  /** False for ranges that are too large to allocate from. */
  get isUsable(): boolean {
    return this.family === 'IPv4' || this.cidr.prefixBits >= IPV6_PREFIX_MIN;
  }

  itemAt(offset: number): string {
    if (this.family === 'IPv4') {
      const address = Number(this.first) + offset;
      return `${Math.floor(address / 0x1000000)}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
    }
    return formatIp(addressBytes(this.first + BigInt(offset), 16));
  }
}
