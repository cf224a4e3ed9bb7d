/**
 * IP addresses and ranges as byte arrays. The accepted forms are those of Kubernetes: IPv4 may have leading zeros (they
 * are decimal), IPv6 has no zone.
 */

const IPV4 = /^(\d{1,20})\.(\d{1,20})\.(\d{1,20})\.(\d{1,20})$/;

/** 4 bytes for IPv4, 16 for IPv6 (IPv4-mapped ones come as 4), undefined when the text is neither. */
export function parseIp(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | undefined {
  const match = IPV4.exec(text);
  if (match === null) return undefined;
  const bytes = match.slice(1).map(Number);
  return bytes.every((byte) => byte <= 255) ? Uint8Array.from(bytes) : undefined;
}

function parseIpv6(text: string): Uint8Array | undefined {
  if (text.length > 64) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const known = head.length + tail.length;
  if (halves.length === 1 ? known !== 16 : known > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    if (mayEndInIpv4 && i === groups.length - 1 && group.includes('.')) {
      const ipv4 = parseIpv4(group);
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else {
      return undefined;
    }
  }
  return bytes;
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes[10] === 255 && bytes[11] === 255 && bytes.subarray(0, 10).every((byte) => byte === 0);
}

/** The canonical text: no leading zeros, the longest run of zero groups as `::` (RFC 5952). */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === 0) length++;
    if (length > best.length) best = { start: i, length };
  }
  const hex = (part: number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.start < 0) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}

/** A range: its first address, with the host bits cleared, and the length of its prefix in bits. */
export interface Cidr {
  readonly base: Uint8Array;
  readonly prefixBits: number;
}

/** Parses `10.0.0.0/24` or `fd00::/64`; undefined when it is no range. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0 || !/^\d{1,3}$/.test(text.slice(slash + 1))) return undefined;
  const address = parseIp(text.slice(0, slash));
  const prefixBits = Number(text.slice(slash + 1));
  if (address === undefined || prefixBits > address.length * 8) return undefined;
  const base = address.map((byte, i) => {
    const bits = Math.min(8, Math.max(0, prefixBits - i * 8));
    return byte & (0xff00 >> bits);
  });
  return { base, prefixBits };
}

/** An address as a number, to count with. */
export function addressNumber(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** The address of that number in so many bytes. */
export function addressBytes(value: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 0xffn));
}
