import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JsonWebToken } from '../jwt/json-web-token.ts';
import { signingAlgorithmOf, verifySignature } from '../jwt/signature-algorithms.ts';

/** One public key that signs tokens of service accounts. */
export interface VerificationKey {
  /**
   * Derived from the key: base64url of the SHA-256 of its DER form (SubjectPublicKeyInfo), as stock servers name
   * theirs.
   */
  readonly id: string;
  readonly key: KeyObject;
}

/** A private key with its entries in a token's header. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
  readonly algorithm: string;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

/**
 * The public keys of a PEM text with RSA or ECDSA keys, private or public, or certificates; other blocks (curve
 * parameters) are skipped. Throws an Error that names the fault, without the content.
 */
export function readVerificationKeys(pem: string): readonly VerificationKey[] {
  const keys = [...pem.matchAll(BLOCK)]
    .filter(([, label]) => /KEY|CERTIFICATE/.test(label!))
    .map(([block]) => verificationKey(publicKeyOf(block)));
  if (keys.length === 0) throw new Error('holds no PEM key');
  return keys;
}

/** Throws like `readVerificationKeys`. */
export function readSigningKey(pem: string): SigningKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    throw new Error('holds no PEM private key that can be read');
  }
  const { id, key } = verificationKey(createPublicKey(privateKey));
  return { id, key, privateKey, algorithm: signingAlgorithmOf(privateKey)! };
}

/** Of equal keys the first. */
export function uniqueKeys(keys: readonly VerificationKey[]): readonly VerificationKey[] {
  return [...new Map(keys.toReversed().map((key) => [key.id, key])).values()].reverse();
}

/** Whether one of the keys signed the token: the one that it names, or any where it names none. */
export function isSignedByOneOf(token: JsonWebToken, keys: readonly VerificationKey[]): boolean {
  return keys.some(
    ({ id, key }) =>
      (token.keyId === undefined || token.keyId === id) &&
      verifySignature(token.algorithm, key, token.input, token.signature),
  );
}

function publicKeyOf(block: string): KeyObject {
  try {
    return createPublicKey(block);
  } catch {
    throw new Error('holds a PEM key that cannot be read');
  }
}

function verificationKey(key: KeyObject): VerificationKey {
  if (signingAlgorithmOf(key) === undefined)
    throw new Error('holds a key that is neither RSA (1024 bits or more) nor ECDSA on P-256, P-384 or P-521');
  const der = key.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), key };
}
