import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

export interface TokenContent {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  /** Of the account. */
  readonly uid: string;
}

/** By OpenSSL's name of the curve: the algorithm of RFC 7518 and its hash. */
const CURVES: Readonly<Record<string, readonly [algorithm: string, hash: string]>> = {
  prime256v1: ['ES256', 'sha256'],
  secp384r1: ['ES384', 'sha384'],
  secp521r1: ['ES512', 'sha512'],
};

/**
 * Makes the tokens that secrets hold (RFC 7519): without audience and expiry. Throws for a text that is no private key
 * of RSA or ECDSA.
 */
export function tokenSigner(privateKeyPem: string): (content: TokenContent) => string {
  const privateKey = createPrivateKey(privateKeyPem);
  const [alg, hash] = algorithmOf(privateKey);
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  // As API servers name their keys.
  const kid = createHash('sha256').update(der).digest('base64url');
  return (content) => {
    const input = `${encode({ alg, kid })}.${encode(claimsOf(content))}`;
    const signature = sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  };
}

function algorithmOf(key: KeyObject): readonly [algorithm: string, hash: string] {
  if (key.asymmetricKeyType === 'rsa') return ['RS256', 'sha256'];
  const curve = key.asymmetricKeyType === 'ec' ? CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (curve === undefined) throw new Error('the key of service accounts is neither RSA nor ECDSA on a known curve');
  return curve;
}

/** In the order of their keys. */
function claimsOf({ namespace, secret, account, uid }: TokenContent): object {
  return {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret,
    'kubernetes.io/serviceaccount/service-account.name': account,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: `system:serviceaccount:${namespace}:${account}`,
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
