import { createPrivateKey, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import type * as X509 from '@peculiar/x509';

const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
const CLOCK_SKEW_MS = 3600 * 1000;
export const AUTHORITY_NAME = 'CN=binnacle-ca';
export const SERVER_NAME = 'CN=binnacle';
/** Of all keys that are made here. */
export const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Signs certificates; both texts are PEM. */
export interface ServingAuthority {
  readonly cert: string;
  readonly key: string;
}

/** A new authority. The certificate library is loaded only by those who make something. */
export async function createAuthority(name = AUTHORITY_NAME): Promise<ServingAuthority> {
  const x509 = await certificateLibrary();
  const keys = (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    ...validity(),
    signingAlgorithm: keyAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  const pkcs8 = createPrivateKey({
    key: Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
    format: 'der',
    type: 'pkcs8',
  });
  return { cert: `${cert.toString('pem')}\n`, key: String(pkcs8.export({ type: 'pkcs8', format: 'pem' })) };
}

/** Whether the texts are an authority that was made here, and its key. */
export function isServingAuthority({ cert, key }: ServingAuthority): boolean {
  try {
    const authority = new X509Certificate(cert);
    return authority.subject === AUTHORITY_NAME && authority.checkPrivateKey(createPrivateKey(key));
  } catch {
    // Malformed PEM is no authority that was made here.
    return false;
  }
}

/**
 * A certificate for a key, of type `keyAlgorithm`, and these host names and addresses, with that of the authority
 * behind it; PEM.
 */
export async function createServingCertificate(
  authority: ServingAuthority,
  names: readonly string[],
  publicKey: KeyObject,
): Promise<string> {
  const x509 = await certificateLibrary();
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' }),
    keyAlgorithm,
    false,
    ['sign'],
  );
  const subjectKey = await webcrypto.subtle.importKey(
    'spki',
    publicKey.export({ type: 'spki', format: 'der' }),
    keyAlgorithm,
    true,
    ['verify'],
  );
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: `01${webcrypto.getRandomValues(Buffer.alloc(8)).toString('hex')}`,
    subject: SERVER_NAME,
    issuer: new x509.X509Certificate(authority.cert).subjectName,
    ...validity(),
    signingAlgorithm: keyAlgorithm,
    publicKey: subjectKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  });
  return `${cert.toString('pem')}\n${authority.cert}`;
}

function validity(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - CLOCK_SKEW_MS), notAfter: new Date(Date.now() + VALID_MS) };
}

async function certificateLibrary(): Promise<typeof X509> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  return x509;
}
