/** Rewrites a store's file and replaces the old one, in one step that a kill cannot interrupt halfway. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { dataFileOf } from '../data-file.ts';
import { EmbeddedDatabase } from '../database.ts';
import type { EmbeddedTables } from '../database.ts';
import { claimOf, DiskReserve } from '../disk-reserve.ts';

const batchRows = 256;
const batchBytesMax = 4 * 1024 * 1024;

export interface Row {
  readonly table: keyof EmbeddedTables;
  readonly key: Buffer;
  readonly value: Buffer;
}

/**
 * Makes a new database of the rows and renames it over that in `dir`, which the caller owns and which is not open.
 * `keepAs`: an additional name for the old file. When it throws, or the process ends before the last step, the old file
 * is where it was.
 */
export async function rewriteStore(dir: string, rows: Iterable<Row>, keepAs?: string): Promise<void> {
  const draft = join(dir, 'rewrite');
  // Left by a run that was killed.
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  try {
    await writeRows(draft, rows);
    // LMDB leaves the rights to the umask; the file holds secrets.
    chmodSync(dataFileOf(draft), 0o600);
    synchronize(dataFileOf(draft));
    synchronize(draft);
    if (keepAs !== undefined && existsSync(dataFileOf(dir))) linkSync(dataFileOf(dir), join(dir, keepAs));
    renameSync(dataFileOf(draft), dataFileOf(dir));
    synchronize(dir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function writeRows(dir: string, rows: Iterable<Row>): Promise<void> {
  const database = new EmbeddedDatabase(dir);
  const reserve = new DiskReserve({ dataFile: dataFileOf(dir), usedBytes: () => database.usedBytes() });
  let usedBytes = 0;
  try {
    let batch: Row[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const claims = batch.map(({ value }) => claimOf(value.length));
      for (const claim of claims) reserve.promise(claim, 'removal');
      await database.write(() => {
        for (const { table, key, value } of batch) void database.tables[table].put(key, value);
      });
      reserve.settle(claims);
      batch = [];
      bytes = 0;
    };
    for (const row of rows) {
      batch.push(row);
      bytes += row.value.length;
      if (batch.length === batchRows || bytes > batchBytesMax) await flush();
    }
    if (batch.length > 0) await flush();
    usedBytes = database.usedBytes();
  } finally {
    reserve.close();
    await database.close();
  }
  // The reserve for large batches: a server makes a separate one.
  truncateSync(dataFileOf(dir), usedBytes);
}

function synchronize(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
