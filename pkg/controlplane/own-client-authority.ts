/**
 * The authority of `up` for certificates of clients. It is another one than that of serving certificates: the holder of
 * its certificate is a user of the cluster, so that it signs for the two signers of client certificates alone.
 */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keepPrivate } from '../options/keep-private.ts';
import { makeDirectory } from '../options/make-directory.ts';
import type { OptionValues } from '../options/option.ts';
import { signers } from '../options/rows/manager/certificates.ts';
import { authorityKeyFile } from '../server/tls/self-signed.ts';
import { createAuthority } from '../server/tls/serving-authority.ts';

const NAME = 'CN=binnacle-client-ca';

/**
 * Where `up` keeps it, which runs the controllers that sign; undefined where options name whom to believe or who signs.
 */
export function ownClientAuthority(options: OptionValues, dir: string): string | undefined {
  if (options.component !== 'up' || options.string('simulated-nodes') === '') return undefined;
  const named = Object.keys(signers).map((signer) => `cluster-signing-${signer}-cert-file`);
  if (['client-ca-file', 'cluster-signing-cert-file', ...named].some((option) => options.string(option) !== ''))
    return undefined;
  return path.join(options.string('cert-dir') || path.join(dir, 'pki'), 'client-ca.crt');
}

/**
 * Makes it where it is not there yet. One whose key is gone stays: its certificates hold until they expire. A key is
 * never overwritten: another start may have made it just now.
 */
export function ensureClientAuthority(file: string): void {
  const keyFile = authorityKeyFile(file);
  keepPrivate(keyFile);
  if (existsSync(file)) return;
  if (existsSync(keyFile))
    throw new Error(`${keyFile} is there without ${file}: put it there as well, or remove the key for a new pair`);
  makeDirectory(path.dirname(file), 0o700);
  const { cert, key } = createAuthority(NAME);
  writeFileSync(keyFile, key, { mode: 0o600, flag: 'wx' });
  writeFileSync(file, cert, { flag: 'wx' });
}
