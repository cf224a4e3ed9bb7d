import { derInside, derObjectIdentifier, derTag, derValues, type DerValue } from './der.ts';

const RSA_PSS = '1.2.840.113549.1.1.10';

/** SHA-2 with RSA (PKCS #1 1.5), SHA-2 with ECDSA, Ed25519. */
const safeAlgorithms: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
]);
/** SHA-256, SHA-384, SHA-512. */
const safeHashes: ReadonlySet<string> = new Set([
  '2.16.840.1.101.3.4.2.1',
  '2.16.840.1.101.3.4.2.2',
  '2.16.840.1.101.3.4.2.3',
]);
/** Tag of the hash among the parameters of RSASSA-PSS (RFC 4055, 3.1). */
const PSS_HASH_TAG = 0xa0;

/**
 * Whether a certificate, in its DER form, is signed with an algorithm that stock servers accept. The runtime also
 * verifies signatures over MD5 and SHA-1, which can be forged. Throws `DerError`.
 */
export function isSafelySigned(certificate: Buffer): boolean {
  const [outer] = derValues(certificate);
  const [, algorithm] = derInside(outer, derTag.sequence);
  const [id, parameters] = derInside(algorithm, derTag.sequence);
  const name = derObjectIdentifier(id);
  return name === RSA_PSS ? safeHashes.has(pssHash(parameters)) : safeAlgorithms.has(name);
}

/** Empty for SHA-1, the default. */
function pssHash(parameters: DerValue | undefined): string {
  const hash = derInside(parameters, derTag.sequence).find(({ tag }) => tag === PSS_HASH_TAG);
  if (hash === undefined) return '';
  const [id] = derInside(derValues(hash.content)[0], derTag.sequence);
  return derObjectIdentifier(id);
}
