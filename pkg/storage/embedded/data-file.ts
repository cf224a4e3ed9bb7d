import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailableError } from '../store-errors.ts';

/** Where LMDB's first meta page says what it is: behind the header of the page. */
const magicAt = 24;
const magic = 0xbeefc0de;

export function dataFileOf(dir: string): string {
  return join(dir, 'data.mdb');
}

/**
 * Throws `StoreUnavailableError` when the database file in `dir` is none: LMDB ends the process without a word when it maps such a file. An
 * absent or an empty file is fine.
 */
export function checkDataFile(dir: string): void {
  const path = dataFileOf(dir);
  const start = startOf(path, magicAt + 4);
  if (start.length > 0 && (start.length < magicAt + 4 || start.readUInt32LE(magicAt) !== magic)) {
    throw new StoreUnavailableError(`${path} is damaged, or no database of this program`);
  }
}

/** As many of the first bytes as there are. */
function startOf(path: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}
