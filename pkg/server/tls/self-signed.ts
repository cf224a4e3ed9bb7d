import { webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import type { KeyPairFiles } from './key-pair-files.ts';

const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
const CLOCK_SKEW_MS = 3600 * 1000;

/** Where a pair made here is, with the authority that clients trust for it. */
export interface SelfSignedFiles extends KeyPairFiles {
  readonly caFile: string;
}

/**
 * The serving certificate in `dir`, made with an authority of its own when there is none. A pair that something else put there has its authorities
 * behind its certificate. Keys are readable by their owner alone. Nothing that is there is ever overwritten; throws an Error where that would have to
 * be. The certificate library is loaded only to make a pair.
 */
export async function ensureSelfSigned(dir: string, names: readonly string[]): Promise<SelfSignedFiles> {
  const [caFile, certFile, keyFile] = ['ca.crt', 'apiserver.crt', 'apiserver.key'].map((name) => path.join(dir, name)) as [string, string, string];
  const [hasCert, hasKey] = [existsSync(certFile), existsSync(keyFile)];
  if (hasCert !== hasKey) throw new Error(`${dir} has ${hasCert ? 'apiserver.crt without apiserver.key' : 'apiserver.key without apiserver.crt'}: put the other one there as well, or remove it for a new pair`);
  if (hasCert) return { caFile: isAuthorityOf(certFile, caFile) ? caFile : certFile, certFile, keyFile };
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const made = await createCertificate(names);
  const keepsAuthority = existsSync(caFile);
  if (!keepsAuthority) writeFileSync(caFile, made.ca, { flag: 'wx' });
  writeFileSync(keyFile, made.key, { mode: 0o600, flag: 'wx' });
  writeFileSync(certFile, made.cert, { flag: 'wx' });
  return { caFile: keepsAuthority ? certFile : caFile, certFile, keyFile };
}

/** Whether the first certificate of `caFile` signed that of `certFile`: the directory may be one with the authority of something else. */
function isAuthorityOf(certFile: string, caFile: string): boolean {
  try {
    const [leaf, authority] = [certFile, caFile].map((file) => new X509Certificate(readFileSync(file))) as [X509Certificate, X509Certificate];
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
  } catch {
    // No such file, or none that can be read: what is wrong with the pair itself is told by whoever loads it.
    return false;
  }
}

/** An ECDSA P-256 pair signed by a new authority, for these host names and addresses. */
async function createCertificate(names: readonly string[]): Promise<{ ca: string; cert: string; key: string }> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const generate = (): Promise<CryptoKeyPair> => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<CryptoKeyPair>;
  const [authority, pair] = [await generate(), await generate()];
  const validity = { notBefore: new Date(Date.now() - CLOCK_SKEW_MS), notAfter: new Date(Date.now() + VALID_MS) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01', name: 'CN=binnacle-ca', ...validity, signingAlgorithm: algorithm, keys: authority,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true)],
  });
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: '02', subject: 'CN=binnacle', issuer: ca.subject, ...validity, signingAlgorithm: algorithm, publicKey: pair.publicKey, signingKey: authority.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }))),
    ],
  });
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${exported.replaceAll(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
  return { ca: `${ca.toString('pem')}\n`, cert: `${cert.toString('pem')}\n${ca.toString('pem')}\n`, key };
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;
