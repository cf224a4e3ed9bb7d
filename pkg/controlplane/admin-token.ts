import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OptionValues } from '../options/option.ts';

/** The administrator's token: from the file that `--token-file` names, or made once in `dir` and kept for its owner's eyes alone. */
export function adminTokenOf(options: OptionValues, dir: string): string {
  const file = options.string('token-file') || path.join(dir, 'admin-token');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const token = randomBytes(32).toString('base64url');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
