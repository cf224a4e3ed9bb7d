import {
  constants,
  sign,
  verify,
  type KeyObject,
  type SignKeyObjectInput,
  type VerifyKeyObjectInput,
} from 'node:crypto';

/**
 * Asymmetric signature algorithms of JSON Web Tokens (RFC 7518, 3.1). `none` and the algorithms with a shared secret
 * are not in the table: a token that names one of them has no algorithm here, so that no public key can be taken for a
 * secret.
 */
interface SignatureAlgorithm {
  readonly hash: 'sha256' | 'sha384' | 'sha512';
  readonly keyType: 'rsa' | 'ec';
  /** OpenSSL's name of the curve, for keys of type `ec`. */
  readonly curve?: string;
  readonly pss?: boolean;
}

const algorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ['RS256', { hash: 'sha256', keyType: 'rsa' }],
  ['RS384', { hash: 'sha384', keyType: 'rsa' }],
  ['RS512', { hash: 'sha512', keyType: 'rsa' }],
  ['PS256', { hash: 'sha256', keyType: 'rsa', pss: true }],
  ['PS384', { hash: 'sha384', keyType: 'rsa', pss: true }],
  ['PS512', { hash: 'sha512', keyType: 'rsa', pss: true }],
  ['ES256', { hash: 'sha256', keyType: 'ec', curve: 'prime256v1' }],
  ['ES384', { hash: 'sha384', keyType: 'ec', curve: 'secp384r1' }],
  ['ES512', { hash: 'sha512', keyType: 'ec', curve: 'secp521r1' }],
]);

/** Shorter keys are weak. */
const RSA_BITS_MIN = 1024;

/** The key is of the algorithm's type, curve and strength. */
function fits(algorithm: SignatureAlgorithm, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== algorithm.keyType) return false;
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  return algorithm.keyType === 'ec' ? namedCurve === algorithm.curve : modulusLength >= RSA_BITS_MIN;
}

/** Whether `signature` is the key's over `input`. False as well for an algorithm that is unknown or not the key's. */
export function verifySignature(name: string, key: KeyObject, input: string, signature: Uint8Array): boolean {
  const algorithm = algorithms.get(name);
  if (algorithm === undefined || !fits(algorithm, key)) return false;
  try {
    return verify(algorithm.hash, Buffer.from(input), keyInput(algorithm, key), signature);
  } catch {
    // The signature has not even the right form.
    return false;
  }
}

/** Throws for a key of another algorithm. */
export function createSignature(name: string, key: KeyObject, input: string): Buffer {
  const algorithm = algorithms.get(name);
  if (algorithm === undefined || !fits(algorithm, key)) throw new Error(`the key cannot sign with ${name}`);
  return sign(algorithm.hash, Buffer.from(input), keyInput(algorithm, key));
}

/** The algorithm that tokens of this server are signed with; undefined for keys of other types and curves. */
export function signingAlgorithmOf(key: KeyObject): string | undefined {
  const candidates = ['RS256', 'ES256', 'ES384', 'ES512'];
  return candidates.find((name) => fits(algorithms.get(name)!, key));
}

function keyInput({ pss, keyType }: SignatureAlgorithm, key: KeyObject): VerifyKeyObjectInput & SignKeyObjectInput {
  if (keyType === 'ec') return { key, dsaEncoding: 'ieee-p1363' };
  return pss === true
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key, padding: constants.RSA_PKCS1_PADDING };
}
