import { statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailableError } from '../store-errors.ts';
import { MdbFile } from './file/mdb-file.ts';
import { MdbDamage } from './file/mdb-page.ts';

export function dataFileOf(dir: string): string {
  return join(dir, 'data.mdb');
}

/**
 * Throws `StoreUnavailableError` when the database file in `dir` is not a database, is truncated, or has trees with
 * invalid pages: LMDB ends the process without a message when it maps such a file, or follows such a tree. An absent or
 * an empty file is fine. Values are not checked.
 */
export function checkDataFile(dir: string): void {
  const path = dataFileOf(dir);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  try {
    checkTrees(path);
  } catch (cause) {
    if (!(cause instanceof MdbDamage)) throw cause;
    throw new StoreUnavailableError(
      `${path} is damaged, or no database of this program: ${cause.message}; \`binnacle store repair\` saves what is readable`,
      { cause },
    );
  }
}

function checkTrees(path: string): void {
  const file = new MdbFile(path);
  try {
    const [metaDamage] = file.metaDamage;
    if (metaDamage !== undefined) throw new MdbDamage(metaDamage);
    const marks = file.marks();
    for (const tree of file.tables(marks).values()) file.check(tree, marks);
    file.markFree(marks);
  } finally {
    file.close();
  }
}
