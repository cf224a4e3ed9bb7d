import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keepPrivate } from '../options/keep-private.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';

const OPTION = 'token-file';

/**
 * The administrator's token: from the file that `--token-file` names, or made once in `dir` and kept for its owner's
 * eyes alone; without `dir` in memory, for this start. Throws `OptionsError` where the file of the option holds none;
 * the server's own file is then made again, since a start may have ended while it was written.
 */
export function adminTokenOf(options: OptionValues, dir: string | undefined): string {
  const given = options.string(OPTION);
  if (given !== '') {
    const token = tokenIn(given);
    if (token === undefined) throw new OptionsError([noToken(given)]);
    return token;
  }
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

/**
 * What is wrong with the file that the option names; whether it can be read at all is found by the table of options.
 */
export function adminTokenProblems(options: OptionValues): string[] {
  const file = options.string(OPTION);
  return file === '' || tokenIn(file) !== undefined ? [] : [noToken(file)];
}

function noToken(file: string): string {
  return optionProblem(OPTION, file, 'holds no token');
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
