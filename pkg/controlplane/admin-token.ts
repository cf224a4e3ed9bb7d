import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keepPrivate } from '../options/keep-private.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';

const OPTION = 'token-file';

/** The token in the file that `--token-file` names; undefined for none. Throws `OptionsError` where it holds none. */
export function readAdminToken(options: OptionValues): string | undefined {
  const file = options.string(OPTION);
  if (file === '') return undefined;
  const token = tokenIn(file);
  if (token === undefined) throw new OptionsError([optionProblem(OPTION, file, 'holds no token')]);
  return token;
}

/**
 * The administrator's token: the given one, or one made once in `dir` and kept for its owner's eyes alone; without
 * `dir` in memory, for this start. A file without a token is made again, since a start may have ended while it was
 * written.
 */
export function adminTokenOf(given: string | undefined, dir: string | undefined): string {
  if (given !== undefined) return given;
  const file = dir === undefined ? undefined : path.join(dir, 'admin-token');
  const kept = file !== undefined && existsSync(file) ? tokenIn(file) : undefined;
  if (kept !== undefined) {
    keepPrivate(file!);
    return kept;
  }
  const token = randomBytes(32).toString('base64url');
  if (file !== undefined) writeWhole(file, `${token}\n`);
  return token;
}

/** Undefined where the text is nothing that a bearer can send. */
function tokenIn(file: string): string | undefined {
  const text = readFileSync(file, 'utf8').trim();
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** The file has all of the text or what it had before. */
function writeWhole(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}
