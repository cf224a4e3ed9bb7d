import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** For tests: authorities, certificates signed by them, and requests for certificates, as PEM. */

x509.cryptoProvider.set(webcrypto as never);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600 * 1000;

export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

export interface CertificateWish {
  /** `CN=alice,O=staff`, or its parts where order or repetition matters. */
  readonly subject: string | readonly Record<string, string[]>[];
  /** Object identifiers; absent: the extension is left out. */
  readonly extendedKeyUsages?: readonly string[];
  readonly keyUsages?: number;
  /** Host names and addresses. */
  readonly names?: readonly string[];
  /** Of the signature; SHA-256 when absent. */
  readonly hash?: 'SHA-1' | 'SHA-384' | 'SHA-512';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Present: the certificate is an authority. */
  readonly authority?: { readonly pathLength?: number };
  /** Additional extensions, for unusual certificates. */
  readonly extensions?: readonly x509.Extension[];
}

/** A certificate with its key, and signer of others. */
export class TestAuthority {
  readonly pem: string;
  readonly keyPem: string;
  readonly certificate: x509.X509Certificate;
  private readonly keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair, keyPem: string) {
    this.certificate = certificate;
    this.keys = keys;
    this.pem = `${certificate.toString('pem')}\n`;
    this.keyPem = keyPem;
  }

  static async create(subject = 'CN=test-ca'): Promise<TestAuthority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: subject,
      keys,
      signingAlgorithm: algorithm,
      serialNumber: serial(),
      ...validity({}),
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    });
    return new TestAuthority(certificate, keys, await privatePem(keys));
  }

  async sign(wish: CertificateWish): Promise<TestAuthority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject: wish.subject as x509.JsonName | string,
      issuer: this.certificate.subject,
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: { ...algorithm, hash: wish.hash ?? algorithm.hash },
      serialNumber: serial(),
      ...validity(wish),
      extensions: extensionsOf(wish),
    });
    return new TestAuthority(certificate, keys, await privatePem(keys));
  }
}

/** A request for a certificate (PKCS #10), and its key. */
export interface CertificateRequest {
  readonly pem: string;
  /** As `spec.request` has it. */
  readonly base64: string;
  readonly keyPem: string;
}

/** `names` are host names and addresses. */
export async function certificateRequest(
  subject: string | x509.JsonName,
  names?: readonly string[],
): Promise<CertificateRequest> {
  const keys = await generateKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    extensions: names === undefined ? [] : [alternativeNames(names)],
  });
  const pem = request.toString('pem');
  return { pem, base64: Buffer.from(pem).toString('base64'), keyPem: await privatePem(keys) };
}

function extensionsOf({
  authority,
  keyUsages,
  extendedKeyUsages,
  names,
  extensions = [],
}: CertificateWish): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(authority !== undefined, authority?.pathLength, true),
    new x509.KeyUsagesExtension(
      keyUsages ?? (authority === undefined ? x509.KeyUsageFlags.digitalSignature : x509.KeyUsageFlags.keyCertSign),
      true,
    ),
    ...(extendedKeyUsages === undefined ? [] : [new x509.ExtendedKeyUsageExtension([...extendedKeyUsages])]),
    ...(names === undefined ? [] : [alternativeNames(names)]),
    ...extensions,
  ];
}

function alternativeNames(names: readonly string[]): x509.Extension {
  return new x509.SubjectAlternativeNameExtension(
    names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
  );
}

function validity({
  notBefore = new Date(Date.now() - DAY_MS),
  notAfter = new Date(Date.now() + DAY_MS),
}: Pick<CertificateWish, 'notBefore' | 'notAfter'>): { notBefore: Date; notAfter: Date } {
  return { notBefore, notAfter };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function privatePem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')}\n`;
}

function serial(): string {
  return `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex')}`;
}
