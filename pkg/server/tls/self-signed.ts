import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { formatIp, parseIp } from '../../apimachinery/names/ip.ts';
import { keepPrivate } from '../../options/keep-private.ts';
import type { KeyPairFiles } from './key-pair-files.ts';
import {
  AUTHORITY_NAME,
  createAuthority,
  createKeyPair,
  createServingCertificate,
  isServingAuthority,
  SERVER_NAME,
  type ServingAuthority,
} from './serving-authority.ts';

/** Where a pair made here is, with the authority that clients trust for it. */
export interface SelfSignedFiles extends KeyPairFiles {
  readonly caFile: string;
}

/**
 * The serving certificate in `dir`, made with a new authority when there is none, and made again for the same key when
 * one that was made here lacks one of the names or addresses. A foreign pair is never overwritten; throws an Error
 * where that would be necessary. `tell` is called with missing names. Keys are readable by their owner alone.
 */
export function ensureSelfSigned(
  dir: string,
  names: readonly string[],
  tell: (message: string) => void = () => undefined,
): SelfSignedFiles {
  const [caFile, certFile, keyFile] = ['ca.crt', 'apiserver.crt', 'apiserver.key'].map((name) =>
    path.join(dir, name),
  ) as [string, string, string];
  const [hasCert, hasKey] = [existsSync(certFile), existsSync(keyFile)];
  for (const key of [keyFile, authorityKeyFile(caFile)]) keepPrivate(key);
  if (hasCert !== hasKey)
    throw new Error(
      `${dir} has ${hasCert ? 'apiserver.crt without apiserver.key' : 'apiserver.key without apiserver.crt'}: put the other one there as well, or remove it for a new pair`,
    );
  if (hasCert) {
    const found = { caFile: isAuthorityOf(certFile, caFile) ? caFile : certFile, certFile, keyFile };
    renewWhenLacking(found, names, tell);
    return found;
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { privateKey, publicKey } = createKeyPair();
  const authority = createAuthority();
  const cert = createServingCertificate(authority, names, publicKey);
  const keepsAuthority = existsSync(caFile);
  if (!keepsAuthority) {
    keepKey(caFile, authority);
    writeFileSync(caFile, authority.cert, { flag: 'wx' });
  }
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  writeFileSync(certFile, cert, { flag: 'wx' });
  return { caFile: keepsAuthority ? certFile : caFile, certFile, keyFile };
}

/**
 * The key stays, since tokens may have been signed with it. The new certificate has the names of the old one as well:
 * servers that share the directory would otherwise take it from each other at every start. Where the authority's key is
 * gone, there is a new authority.
 */
function renewWhenLacking(files: SelfSignedFiles, names: readonly string[], tell: (message: string) => void): void {
  const { caFile, certFile } = files;
  const leaf = certificateIn(certFile);
  const lacking =
    leaf === undefined
      ? []
      : names.filter((name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) === undefined);
  if (leaf === undefined || lacking.length === 0) return;
  const lacks = `${certFile} is not for ${lacking.join(', ')}`;
  if (leaf.subject !== SERVER_NAME || leaf.issuer !== AUTHORITY_NAME || caFile === certFile)
    return tell(`${lacks}: clients that come that way will not trust it`);
  const known = authorityIn(caFile);
  try {
    const authority = known ?? createAuthority();
    const cert = createServingCertificate(authority, [...new Set([...namesOf(leaf), ...names])], leaf.publicKey);
    if (known === undefined) keepKey(caFile, authority);
    const texts = [...(known === undefined ? [[caFile, authority.cert] as const] : []), [certFile, cert] as const];
    for (const [file, text] of texts) writeFileSync(`${file}.new`, text);
    for (const [file] of texts) renameSync(`${file}.new`, file);
  } catch (error) {
    return tell(`${lacks}, and cannot be replaced: ${(error as Error).message}`);
  }
  tell(`${lacks}: a new one has taken its place${known === undefined ? `, of a new authority, ${caFile}` : ''}`);
}

/** Where the key of an authority is that was made here. */
export function authorityKeyFile(caFile: string): string {
  return caFile.replace(/\.crt$/, '.key');
}

/** Keeps the authority's key for later names, unless there is one of something else. */
function keepKey(caFile: string, { key }: ServingAuthority): void {
  if (!existsSync(authorityKeyFile(caFile))) writeFileSync(authorityKeyFile(caFile), key, { mode: 0o600, flag: 'wx' });
}

/** The authority that was made here, with its key; undefined where the key is gone or is another one's. */
function authorityIn(caFile: string): ServingAuthority | undefined {
  try {
    const found = { cert: readFileSync(caFile, 'utf8'), key: readFileSync(authorityKeyFile(caFile), 'utf8') };
    return isServingAuthority(found) ? found : undefined;
  } catch {
    // A missing or unreadable pair is replaced by a new one.
    return undefined;
  }
}

/** The names and addresses of a certificate made here. */
function namesOf(leaf: X509Certificate): readonly string[] {
  return (leaf.subjectAltName ?? '').split(', ').map((entry) => {
    const name = entry.slice(entry.indexOf(':') + 1);
    const bytes = parseIp(name);
    return bytes === undefined ? name : formatIp(bytes);
  });
}

/**
 * The first one; undefined where there is no such file, or an invalid one: the code that loads the pair reports
 * problems.
 */
function certificateIn(file: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(file));
  } catch {
    // The code that loads the pair reports a missing or malformed file.
    return undefined;
  }
}

/**
 * Whether the first certificate of `caFile` signed that of `certFile`: the directory may be one with the authority of
 * something else.
 */
function isAuthorityOf(certFile: string, caFile: string): boolean {
  const [leaf, authority] = [certificateIn(certFile), certificateIn(caFile)];
  return (
    leaf !== undefined && authority !== undefined && leaf.checkIssued(authority) && leaf.verify(authority.publicKey)
  );
}
