/**
 * Makes sure that the disk has room for what LMDB is about to write. LMDB must never find a disk full: lmdb 3.5.6 then
 * writes past the end of a buffer, and the process dies or worse. So the data file is longer than LMDB has used, by
 * blocks that are allocated on the disk, and a change is refused before it is staged when the file cannot be made long
 * enough for it.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statfsSync, writeSync } from 'node:fs';
import { StoreFullError } from '../store-errors.ts';

const pageBytes = 4096;
/** Pages that any transaction may take: branches of four trees, their splits, the list of free pages. */
const transactionPages = 64;
/** Pages of a change besides its record: the leaves that it copies, and their splits. */
const changePages = 8;
/**
 * Upper bound of the changes in a transaction, two groups of them; pages that one copies are used again by the next but
 * one.
 */
const changesAtOnceMax = 1024;
/** Kept for deletes and compaction, so that a full store can be emptied. */
const removalReserveBytes = 3 * 1024 * 1024;
const ordinaryRecordBytes = 256 * 1024;
const stepBytes = 256 * 1024;
const fullErrors: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * Magic numbers of btrfs, bcachefs and ZFS (statfs(2)): they allocate new blocks even where a file has some, so that
 * only free space helps.
 */
const copyingFileSystems: readonly number[] = [0x9123683e, 0xca451a4e, 0x2fc12fc1];
const copyingReserveBytes = 16 * 1024 * 1024;

/** Whether a change adds data, or removes some or is the store's own upkeep. */
export type ChangeKind = 'growth' | 'removal';

/** Upper bound of the disk space that a change takes. */
export interface Claim {
  readonly recordPages: number;
  /** Counted as this many small changes. */
  readonly changes: number;
}

export function claimOf(recordBytes: number, changes = 1): Claim {
  return { recordPages: Math.ceil(recordBytes / pageBytes), changes };
}

export interface DiskReserveOptions {
  readonly dataFile: string;
  /** How much of the file LMDB has used by now. */
  readonly usedBytes: () => number;
}

export class DiskReserve {
  readonly #options: DiskReserveOptions;
  readonly #file: number;
  readonly #copying: boolean;
  /** Bytes of the file that have blocks on the disk. */
  #end: number;
  #usedBytes: number;
  readonly #promised = { recordPages: 0, changes: 0 };
  /** Up to here an older file may still have holes; pages in them are not safe to write. */
  #holesFrom: number | undefined;

  constructor(options: DiskReserveOptions) {
    this.#options = options;
    // Only appended to, atomically: nothing here can overwrite what LMDB writes at the same time.
    this.#file = openSync(options.dataFile, constants.O_RDWR | constants.O_APPEND);
    const { size, blocks } = fstatSync(this.#file);
    this.#end = size;
    this.#usedBytes = options.usedBytes();
    this.#copying = copyingFileSystems.includes(statfsSync(options.dataFile).type);
    if (blocks * 512 < size && !this.#copying) this.#holesFrom = 0;
  }

  /** Reserves room for a change, to be returned by `settle`. Throws `StoreFullError` when there is none. */
  promise(claim: Claim, kind: ChangeKind): void {
    this.#demand(claim, kind);
    this.#promised.recordPages += claim.recordPages;
    this.#promised.changes += claim.changes;
  }

  /** The changes were written, or never will be. */
  settle(claims: readonly Claim[]): void {
    for (const { recordPages, changes } of claims) {
      this.#promised.recordPages -= recordPages;
      this.#promised.changes -= changes;
    }
    this.#usedBytes = this.#options.usedBytes();
  }

  /** Throws `StoreFullError` when some ordinary change would be refused now. */
  assertRoom(): void {
    this.#demand(claimOf(ordinaryRecordBytes), 'growth');
  }

  close(): void {
    closeSync(this.#file);
  }

  #demand(claim: Claim, kind: ChangeKind): void {
    const changes = Math.min(this.#promised.changes + claim.changes, changesAtOnceMax);
    const pages = this.#promised.recordPages + claim.recordPages + changes * changePages + transactionPages;
    const bytes = pages * pageBytes + (kind === 'growth' ? removalReserveBytes : 0);
    if (this.#copying) this.#demandFree(bytes + (kind === 'growth' ? copyingReserveBytes : 0));
    if (this.#usedBytes + bytes <= this.#end && this.#holesFrom === undefined) return;
    this.#attempt(() => {
      this.#fillHoles();
      this.#extendTo(this.#usedBytes + bytes);
    });
  }

  #demandFree(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.#options.dataFile);
    if (bavail * bsize < bytes) throw new StoreFullError(this.#options.dataFile);
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (cause) {
      if (fullErrors.includes((cause as NodeJS.ErrnoException).code))
        throw new StoreFullError(this.#options.dataFile, { cause });
      throw cause;
    }
  }

  #extendTo(bytes: number): void {
    const target = Math.ceil(bytes / stepBytes) * stepBytes;
    try {
      while (this.#end < target)
        this.#end += writeSync(this.#file, zeros, 0, Math.min(zeros.length, target - this.#end));
    } catch (error) {
      // The last step may be longer than necessary.
      if (this.#end < bytes) throw error;
    }
  }

  /**
   * Writes the pages that have no block on the disk, as LMDB leaves some behind: they read as zeros. LMDB writes
   * nothing until this is done.
   */
  #fillHoles(): void {
    if (this.#holesFrom === undefined) return;
    const file = openSync(this.#options.dataFile, constants.O_RDWR);
    try {
      const page = Buffer.alloc(pageBytes);
      for (; this.#holesFrom < this.#end; this.#holesFrom += pageBytes) {
        const bytes = readSync(file, page, 0, pageBytes, this.#holesFrom);
        if (page.compare(zeros, 0, bytes, 0, bytes) === 0) writeSync(file, zeros, 0, bytes, this.#holesFrom);
      }
      this.#holesFrom = undefined;
    } finally {
      closeSync(file);
    }
  }
}

const zeros = Buffer.alloc(stepBytes);

/**
 * Overwrites a file with zeros, so that all of it has blocks on the disk: the process dies when it writes mapped memory
 * without a block on a full disk. Throws `StoreFullError`.
 */
export function writeZeros(path: string, bytes: number): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    for (let at = 0; at < bytes;) at += writeSync(file, zeros, 0, Math.min(zeros.length, bytes - at), at);
  } catch (cause) {
    if (fullErrors.includes((cause as NodeJS.ErrnoException).code)) throw new StoreFullError(path, { cause });
    throw cause;
  } finally {
    closeSync(file);
  }
}
