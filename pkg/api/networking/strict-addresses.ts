import { parseCidr, parseIp, type Cidr } from '../../apimachinery/names/ip.ts';

/**
 * Addresses of fields that are newer than the lenient forms: IPv4 without leading zeros, and no IPv4 in the form of
 * IPv6.
 */

export type StrictIp =
  | { readonly address: Uint8Array; readonly problem?: undefined }
  | { readonly address?: undefined; readonly problem: string };
export type StrictCidr =
  { readonly cidr: Cidr; readonly problem?: undefined } | { readonly cidr?: undefined; readonly problem: string };

const LEADING_ZERO = /(^|\.)0\d/;

export function parseStrictIp(text: string): StrictIp {
  const address = parseIp(text);
  if (address === undefined) return { problem: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)' };
  if (LEADING_ZERO.test(text) && text.includes('.')) return { problem: 'must not have leading 0s' };
  return isMapped(text, address) ? { problem: 'must not be an IPv4-mapped IPv6 address' } : { address };
}

export function parseStrictCidr(text: string): StrictCidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) return { problem: 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)' };
  const [ip = '', bits = ''] = text.split('/');
  if ((LEADING_ZERO.test(ip) && ip.includes('.')) || /^0\d/.test(bits))
    return { problem: 'must not have leading 0s in IP or prefix length' };
  if (isMapped(ip, cidr.base)) return { problem: 'must not have an IPv4-mapped IPv6 address' };
  return parseIp(ip)!.every((byte, i) => byte === cidr.base[i])
    ? { cidr }
    : { problem: 'must not have bits set beyond the prefix length' };
}

function isMapped(text: string, address: Uint8Array): boolean {
  return address.length === 4 && text.includes(':');
}
