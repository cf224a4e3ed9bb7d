import { addressBytes, addressNumber, formatIp, parseCidr, parseIp } from '../../apimachinery/names/ip.ts';

/** A range of items to allocate, each with its offset. */
export interface NumberRange<T> {
  /** As in the stored allocation, `10.0.0.0/24` or `30000-32767`. */
  readonly text: string;
  readonly size: number;
  /** The first items, reserved for requests by name: others get them when all the rest is taken. */
  readonly reserved: number;
  /** Undefined: the item does not belong to the range. */
  offsetOf(item: T): number | undefined;
  itemAt(offset: number): T;
  /** The message for an item outside of the range, in words that clients know. */
  outside(item: T): string;
  /** The message for a taken item. */
  readonly taken: string;
}

/** Most addresses of an IPv6 range that are allocated: a bitmap of the whole range would not fit anywhere. */
const IPV6_SIZE_MAX = 65_536;

/**
 * The cluster IPs of a CIDR such as `10.0.0.0/24`, by their text. The network's own address is never allocated, nor is
 * the broadcast address of an IPv4 network. Throws where the text is no CIDR or holds no address.
 */
export function clusterIpRange(cidr: string): NumberRange<string> {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) throw new Error(`${cidr} is not a CIDR`);
  const { base, prefixBits } = parsed;
  const v6 = base.length === 16;
  const addresses = 2 ** (base.length * 8 - prefixBits);
  const size = v6 ? Math.min(addresses, IPV6_SIZE_MAX) - 1 : addresses - 2;
  if (size < 1) throw new Error(`${cidr} holds no address for a service`);
  const first = addressNumber(base) + 1n;
  // Numbers of this size need no big integers, which cost more than all the rest.
  const firstIpv4 = v6 ? 0 : ipv4Number(base) + 1;
  const text = `${formatIp(base)}/${prefixBits}`;
  return {
    text,
    size,
    reserved: clusterIpsReserved(addresses),
    offsetOf(item) {
      const bytes = parseIp(item);
      if (bytes?.length !== base.length) return undefined;
      const offset = v6 ? Number(addressNumber(bytes) - first) : ipv4Number(bytes) - firstIpv4;
      return offset >= 0 && offset < size ? offset : undefined;
    },
    itemAt: (offset) => formatIp(addressBytes(first + BigInt(offset), base.length)),
    outside: (item) => `the provided IP (${item}) is not in the valid range. The range of valid IPs is ${text}`,
    taken: 'provided IP is already allocated',
  };
}

/** Ports from `low` to `high`, both included. */
export function nodePortRange(low: number, high: number): NumberRange<number> {
  const text = `${low}-${high}`;
  return {
    text,
    size: high - low + 1,
    reserved: reservedOf(high - low + 1, { share: 32, max: 128 }),
    offsetOf: (port) => (port >= low && port <= high ? port - low : undefined),
    itemAt: (offset) => low + offset,
    outside: () => `provided port is not in the valid range. The range of valid ports is ${text}`,
    taken: 'provided port is already allocated',
  };
}

function ipv4Number(bytes: Uint8Array): number {
  return bytes[0]! * 0x1000000 + bytes[1]! * 0x10000 + bytes[2]! * 0x100 + bytes[3]!;
}

/** How many of the first addresses of a CIDR of `size` are reserved for services that name them. */
export function clusterIpsReserved(addresses: number): number {
  return reservedOf(addresses, { share: 16, max: 256 });
}

/**
 * How many of a range's first items are reserved: one in `share`, at least 16; none of a range that has no more than
 * those.
 */
function reservedOf(size: number, { share, max }: { readonly share: number; readonly max: number }): number {
  const min = 16;
  return size <= min ? 0 : Math.min(Math.max(Math.floor(size / share), min), max);
}
