import { generateKeyPairSync } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keepPrivate } from '../options/keep-private.ts';
import { makeDirectory } from '../options/make-directory.ts';
import type { OptionValues } from '../options/option.ts';

/**
 * Where `up`, which has a directory of its own, keeps a key that signs tokens of service accounts; undefined where one
 * is given. Other starts need the option, since their tokens must hold on every replica.
 */
export function ownServiceAccountKey(options: OptionValues, dir: string): string | undefined {
  if (
    options.component !== 'up' ||
    options.isGiven('service-account-signing-key-file') ||
    options.isGiven('service-account-key-file')
  )
    return undefined;
  return path.join(dir, 'pki', 'service-account.key');
}

/** Makes the key (P-256) where it is not there yet. */
export function ensureServiceAccountKey(file: string): void {
  keepPrivate(file);
  if (existsSync(file)) return;
  makeDirectory(path.dirname(file), 0o700);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
}
