import { isIP, SocketAddress } from 'node:net';

/** Addresses of one request that are kept; a header can name thousands. */
const ADDRESSES_MAX = 64;

/**
 * Where a request came from: what proxies say (`X-Forwarded-For`, the client first, then `X-Real-Ip`), and last the
 * address of the connection, which alone is certain. `remote`: that address as it is to be shown.
 */
export function sourceIps(
  forwardedFor: string | undefined,
  realIp: string | undefined,
  remote: string | undefined,
): readonly string[] {
  if (forwardedFor === undefined && realIp === undefined) return remote === undefined ? [] : [remote];
  const found = (forwardedFor ?? '').split(',', ADDRESSES_MAX).flatMap((text) => address(text) ?? []);
  const real = address(realIp);
  if (real !== undefined && !found.includes(real)) found.push(real);
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

/** The address that a header names, in its shortest form; undefined for what is none, or one of a zone. */
function address(text: string | undefined): string | undefined {
  const plain = shown(text?.trim() ?? '');
  switch (isIP(plain)) {
    case 4:
      return plain;
    case 6:
      return plain.includes('%') ? undefined : new SocketAddress({ address: plain, family: 'ipv6' }).address;
    default:
      return undefined;
  }
}

/** Addresses of IPv4 that came by a socket for both are shown as what they are. */
function shown(text: string): string {
  const lowercase = text.toLowerCase();
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/.test(lowercase) ? lowercase.slice('::ffff:'.length) : lowercase;
}
