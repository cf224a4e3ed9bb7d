import { isIP } from 'node:net';

/** Addresses of one request that are kept; a header can name thousands. */
const ADDRESSES_MAX = 64;

/**
 * Where a request came from: what proxies say (`X-Forwarded-For`, the client first, then `X-Real-Ip`), and last the address of the connection, which
 * alone is certain.
 */
export function sourceIps(forwardedFor: string | undefined, realIp: string | undefined, remoteAddress: string | undefined): readonly string[] {
  const remote = address(remoteAddress);
  if (forwardedFor === undefined && realIp === undefined) return remote === undefined ? [] : [remote];
  const found = (forwardedFor ?? '').split(',', ADDRESSES_MAX).flatMap((text) => address(text) ?? []);
  const real = address(realIp);
  if (real !== undefined && !found.includes(real)) found.push(real);
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

/** The address as it is shown; undefined for what is none. */
function address(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  const plain = /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(trimmed) ? trimmed.slice('::ffff:'.length) : trimmed;
  return isIP(plain) === 0 ? undefined : plain.toLowerCase();
}
