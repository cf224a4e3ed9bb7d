import { generateKeyPairSync, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { formatIp, parseIp } from '../../apimachinery/ip.ts';
import type { KeyPairFiles } from './key-pair-files.ts';

const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
const CLOCK_SKEW_MS = 3600 * 1000;
const AUTHORITY = 'CN=binnacle-ca';
const SUBJECT = 'CN=binnacle';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Where a pair made here is, with the authority that clients trust for it. */
export interface SelfSignedFiles extends KeyPairFiles {
  readonly caFile: string;
}

/**
 * The serving certificate in `dir`, made with an authority of its own when there is none, and anew for the same key, with another authority, when one that
 * was made here lacks one of the names or addresses. A pair that something else put there has its authorities behind its certificate and is never
 * overwritten; throws an Error where that would have to be. `tell` hears of names that are lacking. Keys are readable by their owner alone. The certificate
 * library is loaded only to make a certificate.
 */
export async function ensureSelfSigned(dir: string, names: readonly string[], tell: (message: string) => void = () => undefined): Promise<SelfSignedFiles> {
  const [caFile, certFile, keyFile] = ['ca.crt', 'apiserver.crt', 'apiserver.key'].map((name) => path.join(dir, name)) as [string, string, string];
  const [hasCert, hasKey] = [existsSync(certFile), existsSync(keyFile)];
  if (hasCert !== hasKey) throw new Error(`${dir} has ${hasCert ? 'apiserver.crt without apiserver.key' : 'apiserver.key without apiserver.crt'}: put the other one there as well, or remove it for a new pair`);
  if (hasCert) {
    const found = { caFile: isAuthorityOf(certFile, caFile) ? caFile : certFile, certFile, keyFile };
    await renewWhenLacking(found, names, tell);
    return found;
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve });
  const made = await createCertificate(names, publicKey);
  const keepsAuthority = existsSync(caFile);
  if (!keepsAuthority) writeFileSync(caFile, made.ca, { flag: 'wx' });
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  writeFileSync(certFile, made.cert, { flag: 'wx' });
  return { caFile: keepsAuthority ? certFile : caFile, certFile, keyFile };
}

/**
 * The key stays, since tokens may have been signed with it. The new certificate has the names of the old one as well: servers that share the directory
 * would otherwise take it from each other at every start.
 */
async function renewWhenLacking(files: SelfSignedFiles, names: readonly string[], tell: (message: string) => void): Promise<void> {
  const leaf = certificateIn(files.certFile);
  const lacking = leaf === undefined ? [] : names.filter((name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) === undefined);
  if (leaf === undefined || lacking.length === 0) return;
  const lacks = `${files.certFile} is not for ${lacking.join(', ')}`;
  if (leaf.subject !== SUBJECT || leaf.issuer !== AUTHORITY || files.caFile === files.certFile) return tell(`${lacks}: clients that come that way will not trust it`);
  try {
    const made = await createCertificate([...new Set([...namesOf(leaf), ...names])], leaf.publicKey);
    const texts = [[files.caFile, made.ca], [files.certFile, made.cert]] as const;
    for (const [file, text] of texts) writeFileSync(`${file}.new`, text);
    for (const [file] of texts) renameSync(`${file}.new`, file);
  } catch (error) {
    return tell(`${lacks}, and cannot be replaced: ${(error as Error).message}`);
  }
  tell(`${lacks}: a new one has taken its place, of a new authority, ${files.caFile}`);
}

/** The names and addresses of a certificate made here. */
function namesOf(leaf: X509Certificate): readonly string[] {
  return (leaf.subjectAltName ?? '').split(', ').map((entry) => {
    const name = entry.slice(entry.indexOf(':') + 1);
    const bytes = parseIp(name);
    return bytes === undefined ? name : formatIp(bytes);
  });
}

/** The first one; undefined where there is no such file, or none that can be read: what is wrong with a pair itself is told by whoever loads it. */
function certificateIn(file: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** Whether the first certificate of `caFile` signed that of `certFile`: the directory may be one with the authority of something else. */
function isAuthorityOf(certFile: string, caFile: string): boolean {
  const [leaf, authority] = [certificateIn(certFile), certificateIn(caFile)];
  return leaf !== undefined && authority !== undefined && leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

/** A certificate for a key, of type `algorithm`, and these host names and addresses, with the new authority that signed it; PEM. */
async function createCertificate(names: readonly string[], publicKey: KeyObject): Promise<{ ca: string; cert: string }> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const authority = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as webcrypto.CryptoKeyPair;
  const subjectKey = await webcrypto.subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), algorithm, true, ['verify']);
  const validity = { notBefore: new Date(Date.now() - CLOCK_SKEW_MS), notAfter: new Date(Date.now() + VALID_MS) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01', name: AUTHORITY, ...validity, signingAlgorithm: algorithm, keys: authority,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true)],
  });
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: '02', subject: SUBJECT, issuer: ca.subject, ...validity, signingAlgorithm: algorithm, publicKey: subjectKey, signingKey: authority.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }))),
    ],
  });
  return { ca: `${ca.toString('pem')}\n`, cert: `${cert.toString('pem')}\n${ca.toString('pem')}\n` };
}
