import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { BackupNames } from './backup-names.ts';

/** Which old log files are kept. */
export interface Retention {
  /** `--audit-log-maxage`, days by the time in the name; 0: forever. */
  readonly ageDaysMax: number;
  /** `--audit-log-maxbackup`; 0: all. */
  readonly filesMax: number;
  /** `--audit-log-compress`. */
  readonly compress: boolean;
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Removes the old files that are too many or too old, then compresses the others where configured: on a full disk
 * nothing can be compressed before something is removed. Continues with the others when one fails, and throws the first
 * failure at the end.
 */
export async function tidyOldFiles(
  names: BackupNames,
  { ageDaysMax, filesMax, compress }: Retention,
  nowMs: number,
): Promise<void> {
  if (ageDaysMax === 0 && filesMax === 0 && !compress) return;
  const found = (await readdir(names.dir)).flatMap((name) => {
    const ms = names.timeOf(name);
    return ms === undefined ? [] : [{ file: path.join(names.dir, name), ms }];
  });
  found.sort((a, b) => b.ms - a.ms);
  const isKept = ({ ms }: { readonly ms: number }, i: number): boolean =>
    (filesMax === 0 || i < filesMax) && (ageDaysMax === 0 || ms >= nowMs - ageDaysMax * DAY_MS);
  const failures: Error[] = [];
  const attempt = (work: Promise<void>): Promise<void> => work.catch((error: Error) => void failures.push(error));
  for (const { file } of found.filter((old, i) => !isKept(old, i))) await attempt(rm(file, { force: true }));
  const plain = compress ? found.filter(isKept).filter(({ file }) => !file.endsWith('.gz')) : [];
  for (const { file } of plain) await attempt(compressFile(file));
  if (failures.length > 0)
    throw new Error(`${failures[0]!.message}${failures.length > 1 ? ` (one of ${failures.length} failures)` : ''}`);
}

/** The final name never holds a partial file. */
async function compressFile(file: string): Promise<void> {
  const unfinished = `${file}.gz.tmp`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
    await rename(unfinished, `${file}.gz`);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await rm(file, { force: true });
}
