import { parseIp } from './ip.ts';
import { inclusiveRangeError, maxLenError } from './name-problems.ts';

const ID_MAX = 2147483647;

export function isInRange(value: number | bigint, lo: number, hi: number): string[] {
  return value >= lo && value <= hi ? [] : [inclusiveRangeError(lo, hi)];
}

export const isValidPortNum = (port: number | bigint): string[] => isInRange(port, 1, 65535);
export const isValidUserId = (id: number | bigint): string[] => isInRange(id, 0, ID_MAX);
export const isValidGroupId = (id: number | bigint): string[] => isInRange(id, 0, ID_MAX);

/** The name of a port in a container or service (RFC 6335, lower case only). */
export function isValidPortName(port: string): string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(port) > 15) problems.push(maxLenError(15));
  if (!/^[-a-z0-9]+$/.test(port))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(port)) problems.push('must contain at least one letter (a-z)');
  if (port.includes('--')) problems.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

export function isValidIp(text: string): string[] {
  return parseIp(text) !== undefined ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

export function isValidIpv4(text: string): string[] {
  return parseIp(text)?.length === 4 ? [] : ['must be a valid IPv4 address'];
}

export function isValidIpv6(text: string): string[] {
  return parseIp(text)?.length === 16 ? [] : ['must be a valid IPv6 address'];
}

/** `host:port` with an IP address as host; IPv6 in brackets. */
export function isValidSocketAddress(text: string): string[] {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(text);
  const ip = match?.[1] ?? match?.[2];
  const valid = ip !== undefined && parseIp(ip) !== undefined && isInRange(Number(match?.[3]), 0, 65535).length === 0;
  return valid ? [] : ['must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)'];
}
