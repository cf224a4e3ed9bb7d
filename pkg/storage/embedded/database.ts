/**
 * The LMDB environment of the embedded store and its tables (docs/decisions/0002-embedded-layout.md):
 *
 * - `log`: revision → record (the change and its value). Every value is written once, here.
 * - `current`: key → version. The keys that exist, without values, so that a scan touches no value pages.
 * - `history`: key and end revision → version. Superseded versions that reads in the past still need.
 * - `expiry`: time and revision → key. What the sweeper looks at.
 * - `meta`: name → number. The layout and how far history was dropped.
 */
import { existsSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { StoreUnavailableError } from '../store-errors.ts';
import { checkDataFile, dataFileOf } from './data-file.ts';
import { writeZeros } from './disk-reserve.ts';
import { decodeRevision, encodeRevision } from './record.ts';

const layoutVersion = 1;
/**
 * Address space for the file, far more than most stores need: only pages that are read take memory. LMDB maps a file
 * again that outgrows its mapping, from 128 KiB on at twice its size, and keeps the older maps for readers that may
 * still use them. Each counts its pages again: twice the file's size in the end.
 */
const MAP_BYTES = 4 * 2 ** 30;
/** LMDB's lock file is 8,272 bytes long for its 126 readers; a longer one works too. */
const LOCK_FILE_BYTES = 12 * 1024;
/** More than an empty database takes. */
const NEW_FILE_BYTES = 256 * 1024;

/**
 * Numbers kept in `meta`. Reads below `compactRevision` fail; old versions are gone from disk up to `scrubbedRevision`.
 */
export type MetaName = 'layout' | 'compactRevision' | 'scrubbedRevision';

export interface EmbeddedTables {
  readonly log: Database<Buffer, Buffer>;
  readonly current: Database<Buffer, Buffer>;
  readonly history: Database<Buffer, Buffer>;
  readonly expiry: Database<Buffer, Buffer>;
  readonly meta: Database<Buffer, Buffer>;
}

export class EmbeddedDatabase {
  readonly tables: EmbeddedTables;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #environment: Environment;
  readonly #pageBytes: number;

  /**
   * Opens or creates the database in `dir`, which no other process may have open. Throws `StoreUnavailableError` when
   * its file is no database or its layout is of a later release, `StoreFullError` when there is no room to open or
   * create it. Not `durable`: nothing is flushed to disk, as for data that ends with the process.
   */
  constructor(dir: string, durable = true) {
    checkDataFile(dir);
    makeRoom(dir);
    const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const;
    // Without overlapping sync a commit is flushed to disk before its promise resolves, as an acknowledgement requires.
    const flushing = { overlappingSync: false, noSync: !durable };
    this.#root = open<Buffer, Buffer>({ path: dir, maxDbs: 8, mapSize: MAP_BYTES, ...flushing, ...binary });
    this.#environment = (this.#root as unknown as { env: Environment }).env;
    this.#pageBytes = this.#environment.stat().pageSize;
    const table = (name: string) => this.#root.openDB<Buffer, Buffer>({ name, ...binary });
    this.tables = {
      log: table('log'),
      current: table('current'),
      history: table('history'),
      expiry: table('expiry'),
      meta: table('meta'),
    };
    const layout = this.readMeta('layout');
    if (layout === undefined) this.tables.meta.putSync(Buffer.from('layout'), encodeRevision(layoutVersion));
    else if (layout !== layoutVersion) {
      throw new StoreUnavailableError(
        `the data in ${dir} has layout ${layout}; this release reads layout ${layoutVersion}`,
      );
    }
  }

  /** Applies all writes of `action` or none, and resolves when they are on disk. */
  async write(action: () => void): Promise<void> {
    try {
      await this.#root.batch(action);
    } catch (error) {
      throw await commitErrorOf(error);
    }
  }

  /** Bytes from the start of the file to the end of the last page in use. */
  usedBytes(): number {
    return (this.#environment.info().lastPageNumber + 1) * this.#pageBytes;
  }

  readMeta(name: MetaName): number | undefined {
    const bytes = this.tables.meta.getBinary(Buffer.from(name));
    return bytes === undefined ? undefined : decodeRevision(bytes);
  }

  /** Only inside an action of `write`. */
  putMeta(name: MetaName, value: number): void {
    void this.tables.meta.put(Buffer.from(name), encodeRevision(value));
  }

  /** The newest revision in the log; 0 when the log is empty. */
  lastLogRevision(): number {
    for (const key of this.tables.log.getKeys({ reverse: true, limit: 1 })) return decodeRevision(key);
    return 0;
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

/** Missing from lmdb's own types. */
interface Environment {
  info(): { readonly lastPageNumber: number };
  stat(): { readonly pageSize: number };
}

/** Room for what LMDB writes while it opens. */
function makeRoom(dir: string): void {
  if (!existsSync(dataFileOf(dir))) {
    const trial = join(dir, 'room');
    try {
      writeZeros(trial, NEW_FILE_BYTES);
    } finally {
      rmSync(trial, { force: true });
    }
  }
  // The first process to open a database rewrites the content of this file.
  writeZeros(join(dir, 'lock.mdb'), LOCK_FILE_BYTES);
}

/** The reason of a failed commit. lmdb returns it as a promise that rejects a little later and has no other handler. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((reason: unknown) => reason);
}

/** Whether a write failed for want of space: ENOSPC, EDQUOT or EFBIG, which lmdb passes on as numbers. */
export function isFull(error: unknown): boolean {
  const {
    constants: { errno },
  } = os;
  return [errno.ENOSPC, errno.EDQUOT, errno.EFBIG].includes((error as { code?: number }).code ?? 0);
}
