import { derBitString, derOidValue, derSequence } from '../../api/certificates/der-encoding.ts';

/** Bits of the extension `keyUsage` (RFC 5280, 4.2.1.3). */
const KEY_USAGE_BITS: ReadonlyMap<string, number> = new Map([
  ['signing', 0],
  ['digital signature', 0],
  ['content commitment', 1],
  ['key encipherment', 2],
  ['data encipherment', 3],
  ['key agreement', 4],
  ['cert sign', 5],
  ['crl sign', 6],
  ['encipher only', 7],
  ['decipher only', 8],
]);

/** Object identifiers of `extKeyUsage`, in the order in which they are written. */
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]);

export interface KeyUsages {
  /** Values of the two extensions in DER; undefined: the extension is left out. */
  readonly keyUsage: Buffer | undefined;
  readonly purposes: Buffer | undefined;
}

/** Throws where there is an unknown usage among them. */
export function encodeUsages(usages: readonly string[]): KeyUsages {
  const unknown = usages.filter((usage) => !KEY_USAGE_BITS.has(usage) && !PURPOSES.has(usage));
  if (unknown.length > 0) throw new Error(`unrecognized usage values: ${unknown.toSorted().join(', ')}`);
  const bits = usages.flatMap((usage) => KEY_USAGE_BITS.get(usage) ?? []);
  const purposes = new Set([...PURPOSES].flatMap(([usage, oid]) => (usages.includes(usage) ? [oid] : [])));
  return {
    keyUsage: bits.length === 0 ? undefined : bitsOf(bits),
    purposes: purposes.size === 0 ? undefined : derSequence(...Array.from(purposes, derOidValue)),
  };
}

/** Bits count from the highest of the first octet; zeros at the end are left out. */
function bitsOf(bits: readonly number[]): Buffer {
  const last = Math.max(...bits);
  const octets = Buffer.alloc(Math.floor(last / 8) + 1);
  for (const bit of bits) octets[Math.floor(bit / 8)]! |= 0x80 >> (bit % 8);
  return derBitString(octets, 7 - (last % 8));
}
