import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '../../apimachinery/certificate-blocks.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { AuthenticationTrust } from './trust.ts';

type Data = Record<string, string>;

/**
 * The content of the config map with what this server believes: servers with other options add to it. Authorities that
 * have expired, and what is no certificate, are left out.
 */
export function mergeTrust(published: Data, { clientCa, requestHeader }: AuthenticationTrust, nowMs: number): Data {
  const data = { ...published };
  if (clientCa !== undefined) addBundle(data, 'client-ca-file', clientCa, nowMs);
  if (requestHeader !== undefined) {
    addBundle(data, 'requestheader-client-ca-file', requestHeader.ca, nowMs);
    addList(data, 'requestheader-username-headers', requestHeader.usernameHeaders);
    addList(data, 'requestheader-group-headers', requestHeader.groupHeaders);
    addList(data, 'requestheader-extra-headers-prefix', requestHeader.extraHeaderPrefixes);
    addList(data, 'requestheader-allowed-names', requestHeader.allowedNames);
  }
  return data;
}

function addBundle(data: Data, key: string, pem: string, nowMs: number): void {
  const blocks = certificateBlocks(`${getKey<string>(data, key) ?? ''}\n${pem}`);
  const valid = new Set(blocks.filter((block) => expiryMs(block) >= nowMs));
  setKey(data, key, [...valid].map((block) => `${block}\n`).join(''));
}

/** Before all times for what is no certificate. */
function expiryMs(block: string): number {
  try {
    return Date.parse(new X509Certificate(block).validTo);
  } catch {
    // Not a certificate: dropped like an expired one.
    return -Infinity;
  }
}

function addList(data: Data, key: string, items: readonly string[]): void {
  setKey(data, key, JSON.stringify([...new Set([...itemsOf(getKey<string>(data, key)), ...items])]));
}

/** What is published already; nothing where it is no list of texts. */
function itemsOf(text: string | undefined): readonly string[] {
  try {
    const items: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(items) ? items.filter((item) => typeof item === 'string') : [];
  } catch {
    // Edited by hand into something else: replaced by a valid list.
    return [];
  }
}
