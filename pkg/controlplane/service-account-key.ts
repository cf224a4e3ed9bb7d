import { generateKeyPairSync } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keepPrivate } from '../options/keep-private.ts';
import { makeDirectory } from '../options/make-directory.ts';
import type { OptionValues } from '../options/option.ts';

/**
 * With `up`, which has a directory of its own: the options with a key that signs tokens of service accounts, made once
 * (P-256), where none was given. Other starts need the option, since their tokens must hold on every replica.
 */
export function withServiceAccountKey(options: OptionValues, dir: string): OptionValues {
  if (
    options.component !== 'up' ||
    options.isGiven('service-account-signing-key-file') ||
    options.isGiven('service-account-key-file')
  )
    return options;
  const file = path.join(dir, 'pki', 'service-account.key');
  keepPrivate(file);
  if (!existsSync(file)) {
    makeDirectory(path.dirname(file), 0o700);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  }
  return options.with({ 'service-account-signing-key-file': file, 'service-account-key-file': [file] });
}
