import { isIP, SocketAddress } from 'node:net';

/** Addresses of one request that are kept; a header can name thousands. */
const ADDRESSES_MAX = 64;

/**
 * The client addresses of a request: those of the headers (`X-Forwarded-For`, the client first, then `X-Real-Ip`), and
 * last the address of the connection, which alone is certain. `remote`: that address in its printed form.
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

/** The address in a header, in its shortest form; undefined for an invalid one, or one with a zone. */
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

/** IPv4 addresses from a dual-stack socket are shown as IPv4. */
function shown(text: string): string {
  const lowercase = text.toLowerCase();
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/.test(lowercase) ? lowercase.slice('::ffff:'.length) : lowercase;
}
