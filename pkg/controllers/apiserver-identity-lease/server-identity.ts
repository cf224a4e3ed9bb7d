import { createHash } from 'node:crypto';

/** A server says that it is there by a lease that it renews; those of servers that are gone are collected. */
export const NAMESPACE = 'kube-system';
export const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
export const IDENTITY = 'kube-apiserver';
export const LEASE_SECONDS = 3600;
/** The leases of all servers. */
export const SELECTION = { namespace: NAMESPACE, labelSelector: `${IDENTITY_LABEL}=${IDENTITY}` };

/**
 * `apiserver-` and a hash of the host's name, as stock servers call themselves: after a restart the lease is the same.
 */
export function serverIdentity(hostname: string): string {
  return `apiserver-${base32(createHash('sha256').update(hostname).digest().subarray(0, 16))}`;
}

/** RFC 4648, without padding and in lower case. */
function base32(bytes: Uint8Array): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}
