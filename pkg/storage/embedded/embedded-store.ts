/**
 * The Store in one process, on LMDB. Owns its data directory. A commit is decided in memory against the newest version,
 * durable or pending, gets the next revision and joins a group write; it is acknowledged after the flush. Reads never
 * see what is not durable yet.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { keepPrivate } from '../../options/keep-private.ts';
import { IntervalCompaction } from '../interval-compaction.ts';
import { CompactedError, FutureRevisionError, StoreFullError, StoreUnavailableError } from '../store-errors.ts';
import { assertKey, keyBytesMax, keyProblem, prefixEnd } from '../store-key.ts';
import type {
  CommitOptions,
  CommitResult,
  EventStream,
  GetOptions,
  KeyValue,
  Page,
  RangeOptions,
  Store,
  StoreSize,
} from '../store.ts';
import type { UpkeepReport } from '../upkeep-report.ts';
import { ChangeFeed } from './change-feed.ts';
import { dataFileOf } from './data-file.ts';
import { EmbeddedDatabase, isFull } from './database.ts';
import { claimOf, DiskReserve } from './disk-reserve.ts';
import type { ChangeKind, Claim } from './disk-reserve.ts';
import { ExpirySweeper } from './expiry-sweeper.ts';
import type { DueKey } from './expiry-sweeper.ts';
import { GroupCommit } from './group-commit.ts';
import { HistoryBudget } from './history-budget.ts';
import { HistoryScrubber } from './history-scrubber.ts';
import { OwnerLock } from './owner-lock.ts';
import { encodeExpiryKey, encodeHistoryKey, encodeRecord, encodeRevision, encodeVersion } from './record.ts';
import type { Version } from './record.ts';
import { keyAfter, SnapshotReader } from './snapshot-reader.ts';

const groupMax = 512;
const historyBytesMax = 64 * 1024 * 1024;
/** As in etcd, an empty store is at revision 1: 0 means "no revision" to clients. */
const firstRevision = 1;

export interface EmbeddedStoreOptions {
  readonly dataDir: string;
  /** False: a crash of the machine may lose the data, one of the process does not. Default true. */
  readonly durable?: boolean | undefined;
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly now?: () => number;
  /** How often expired keys are deleted; default 1000. */
  readonly sweepIntervalMs?: number;
  /** How often an idle watch reports progress; default 5000. */
  readonly progressIntervalMs?: number;
  /** How often history is compacted to the revision of one interval before; 0, the default: never. */
  readonly compactionIntervalMs?: number;
  /** History is also compacted when it reaches this size, in bytes of the file; default 64 MiB. */
  readonly historyBytesMax?: number;
  /** Takes failures of the store's own work; not while it closes. */
  readonly report?: UpkeepReport | undefined;
}

interface Write {
  /** Puts into the tables; runs inside the group's transaction. */
  readonly apply: () => void;
  /** Reserved on the disk until the write is done or has failed. */
  readonly claim: Claim;
  /** Absent for writes that change no key. */
  readonly change?: { readonly key: string; readonly revision: number; readonly record: Buffer };
}

/** The newest state of a key while the write that makes it is in flight. */
interface PendingHead {
  readonly version: Version | undefined;
  readonly revision: number;
  readonly durable: Promise<void>;
}

export class EmbeddedStore implements Store {
  readonly #lock: OwnerLock;
  readonly #dataDir: string;
  readonly #database: EmbeddedDatabase;
  readonly #reserve: DiskReserve;
  readonly #reader: SnapshotReader;
  readonly #commits: GroupCommit<Write>;
  readonly #feed: ChangeFeed;
  readonly #sweeper: ExpirySweeper;
  readonly #scrubber: HistoryScrubber;
  readonly #compaction: IntervalCompaction | undefined;
  readonly #historyBudget: HistoryBudget | undefined;
  readonly #now: () => number;
  readonly #reads = new Set<Promise<unknown>>();
  readonly #pending = new Map<string, PendingHead>();
  #assignedRevision: number;
  #durableRevision: number;
  #compactRevision: number;
  /** Why the last group of writes failed; undefined when it succeeded. */
  #writeProblem: Error | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Throws `StoreUnavailableError` when another process owns the directory, its file is damaged, or a later release
   * wrote it; `StoreFullError` when a new store has no room. A store with data opens on a full disk as well.
   */
  constructor(options: EmbeddedStoreOptions) {
    this.#now = options.now ?? Date.now;
    this.#dataDir = options.dataDir;
    this.#lock = new OwnerLock(options.dataDir);
    try {
      this.#database = new EmbeddedDatabase(options.dataDir, options.durable);
      for (const name of ['data.mdb', 'lock.mdb', 'owner.lock']) keepPrivate(path.join(options.dataDir, name));
      syncDirectory(options.dataDir);
      this.#reserve = new DiskReserve({
        dataFile: dataFileOf(options.dataDir),
        usedBytes: () => this.#database.usedBytes(),
      });
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    this.#compactRevision = this.#database.readMeta('compactRevision') ?? 0;
    this.#durableRevision = this.#assignedRevision = this.#revisionOnDisk();
    this.#reader = new SnapshotReader(this.#database, (revision) => this.#assertReadable(revision));
    this.#commits = new GroupCommit<Write>({
      write: (group) => this.#database.write(() => group.forEach((write) => write.apply())),
      onDurable: (group) => this.#onDurable(group),
      onFailure: (dropped, cause) => this.#onFailure(dropped, cause),
      groupMax,
    });
    this.#feed = new ChangeFeed({
      database: this.#database,
      revision: this.#durableRevision,
      compactRevision: this.#compactRevision,
      progressIntervalMs: options.progressIntervalMs ?? 5000,
    });
    this.#scrubber = new HistoryScrubber({
      database: this.#database,
      write: (action, claim) => this.#upkeep(action, claim),
    });
    const report: UpkeepReport = (task, error) => {
      if (this.#closing === undefined) options.report?.(task, error);
    };
    // A compaction that a crash interrupted goes on.
    this.#scrubber.scrub(this.#compactRevision).catch((error: unknown) => report('history scrub', error));
    this.#sweeper = new ExpirySweeper({
      database: this.#database,
      intervalMs: options.sweepIntervalMs ?? 1000,
      now: this.#now,
      expire: (due) => this.#expire(due),
      report,
    });
    if (options.compactionIntervalMs) {
      this.#compaction = new IntervalCompaction(this, options.compactionIntervalMs, report);
      this.#historyBudget = new HistoryBudget({
        bytesMax: options.historyBytesMax ?? historyBytesMax,
        compact: (revision) => this.compact(revision),
        report,
      });
    }
  }

  async get(key: string, options: GetOptions = {}): Promise<KeyValue | undefined> {
    this.#assertOpen();
    if (keyProblem(key) !== undefined) return undefined;
    return this.#reader.get(key, this.#snapshotRevision(options.revision));
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    this.#assertOpen();
    const revision = this.#snapshotRevision(options.revision);
    this.#assertReadable(revision);
    const { start, end } = bounds(prefix);
    // No key is this long, and the database cannot look one up.
    if (start.length > keyBytesMax) return { items: [], revision, more: false };
    const after =
      options.after === undefined ? undefined : keyAfter(Buffer.from(options.after).subarray(0, keyBytesMax));
    const from = after !== undefined && Buffer.compare(after, start) > 0 ? after : start;
    if (end !== undefined && Buffer.compare(from, end) >= 0) return { items: [], revision, more: false };
    const limit = options.limit || Infinity;
    const { items, more } = await this.#reading(this.#reader.scan({ start: from, end, revision, limit }));
    return { items, more, revision };
  }

  async commit(key: string, options: CommitOptions): Promise<CommitResult> {
    this.#assertOpen();
    assertKey(key);
    const keyBytes = Buffer.from(key);
    const pending = this.#pending.get(key);
    const head = pending === undefined ? this.#reader.currentVersion(keyBytes) : pending.version;
    if ((head?.modRevision ?? 0) !== options.expectRevision) {
      // What the answer shows must be durable first.
      await pending?.durable;
      return { ok: false, current: this.#reader.get(key, this.#durableRevision) };
    }
    if (head === undefined && options.value === undefined) return { ok: true, revision: this.#durableRevision };
    const revision = await this.#change(key, keyBytes, head, options);
    return { ok: true, revision };
  }

  watch(prefix: string, fromRevision: number): EventStream {
    this.#assertOpen();
    return this.#feed.watch(prefix, fromRevision);
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#durableRevision;
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    const { start, end } = bounds(prefix);
    return this.#reading(this.#reader.count(start, end));
  }

  /**
   * Resolves when history below `revision` is gone from disk too. Compacting again to an earlier revision does nothing.
   */
  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    if (revision > this.#durableRevision) throw new FutureRevisionError(this.#durableRevision);
    if (revision <= this.#compactRevision) return;
    this.#compactRevision = revision;
    this.#feed.compactedTo(revision);
    this.#historyBudget?.compactedTo(revision);
    await this.#upkeep(() => this.#database.putMeta('compactRevision', revision));
    await this.#scrubber.scrub(revision);
  }

  async ping(_timeoutMs: number): Promise<void> {
    this.#assertOpen();
    this.#database.readMeta('layout');
  }

  /** Reads continue while this fails. After a failed write, one write of the store itself tests the disk. */
  async assertWritable(): Promise<void> {
    this.#assertOpen();
    this.#reserve.assertRoom();
    if (this.#writeProblem !== undefined)
      await this.#upkeep(() => this.#database.putMeta('compactRevision', this.#compactRevision));
  }

  async sizes(): Promise<readonly StoreSize[]> {
    this.#assertOpen();
    return [{ endpoint: 'embedded', bytes: (await stat(dataFileOf(this.#dataDir))).size }];
  }

  /** Deletes what has expired by now instead of at the next sweep. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#compaction?.stop();
    this.#feed.close();
    await this.#sweeper.stop();
    await this.#scrubber.stop();
    await this.#commits.drained();
    await Promise.allSettled(this.#reads);
    this.#reserve.close();
    await this.#database.close();
    this.#lock.release();
  }

  /** Keeps the database open until the read has ended: LMDB must not be called after it is closed. */
  async #reading<T>(read: Promise<T>): Promise<T> {
    this.#reads.add(read);
    try {
      return await read;
    } finally {
      this.#reads.delete(read);
    }
  }

  /**
   * Stages the change and resolves with its revision when it is durable. Runs to the staging without yielding: that
   * makes it atomic.
   */
  #change(key: string, keyBytes: Buffer, head: Version | undefined, options: CommitOptions): Promise<number> {
    const deleted = options.value === undefined;
    const claim = this.#promised(claimOf(options.value?.length ?? 0), deleted ? 'removal' : 'growth');
    const revision = ++this.#assignedRevision;
    const version = { modRevision: revision, createRevision: head?.createRevision ?? revision };
    const record = encodeRecord(revision, keyBytes, {
      deleted,
      createRevision: deleted ? 0 : version.createRevision,
      previousRevision: head?.modRevision ?? 0,
      value: options.value ?? new Uint8Array(),
    });
    const { log, current, history, expiry } = this.#database.tables;
    const expiryKey =
      options.ttlSeconds && !deleted ? encodeExpiryKey(this.#now() + options.ttlSeconds * 1000, revision) : undefined;
    // All in one transaction: its result is the result of each.
    const apply = () => {
      void log.put(encodeRevision(revision), record);
      if (head !== undefined) void history.put(encodeHistoryKey(keyBytes, revision), encodeVersion(head));
      if (deleted) void current.remove(keyBytes);
      else void current.put(keyBytes, encodeVersion(version));
      if (expiryKey !== undefined) void expiry.put(expiryKey, keyBytes);
    };
    const durable = this.#commits.add({ apply, claim, change: { key, revision, record } });
    this.#pending.set(key, { version: deleted ? undefined : version, revision, durable });
    return durable.then(() => revision);
  }

  async #expire(due: DueKey): Promise<void> {
    await this.commit(due.key, { expectRevision: due.revision });
    await this.#upkeep(() => this.#database.tables.expiry.remove(due.expiryKey));
  }

  /** A write that changes no key. */
  async #upkeep(apply: () => void, claim = claimOf(0)): Promise<void> {
    await this.#commits.add({ apply, claim: this.#promised(claim, 'removal') });
  }

  #promised(claim: Claim, kind: ChangeKind): Claim {
    this.#reserve.promise(claim, kind);
    return claim;
  }

  #onDurable(group: readonly Write[]): void {
    this.#reserve.settle(group.map((write) => write.claim));
    this.#writeProblem = undefined;
    const changes = group.flatMap((write) => write.change ?? []);
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#durableRevision = last.revision;
    for (const { key, revision, record } of changes) {
      this.#historyBudget?.written(revision, record.length);
      if (this.#pending.get(key)?.revision === revision) this.#pending.delete(key);
    }
    this.#feed.publish(last.revision, changes);
  }

  #onFailure(dropped: readonly Write[], cause: unknown): Error {
    this.#reserve.settle(dropped.map((write) => write.claim));
    this.#pending.clear();
    const before = this.#durableRevision;
    // A failed group left nothing behind, unless the very last step of the commit failed: only the disk shows that.
    this.#durableRevision = this.#assignedRevision = Math.max(before, this.#revisionOnDisk());
    const ambiguous = this.#durableRevision > before;
    if (ambiguous) this.#feed.publish(this.#durableRevision);
    this.#writeProblem =
      isFull(cause) && !ambiguous
        ? new StoreFullError(dataFileOf(this.#dataDir), { cause })
        : new StoreUnavailableError('the embedded store could not write to its disk', { ambiguous, cause });
    return this.#writeProblem;
  }

  #revisionOnDisk(): number {
    return Math.max(this.#database.lastLogRevision(), this.#compactRevision, firstRevision);
  }

  #snapshotRevision(asked: number | undefined): number {
    if (!asked) return this.#durableRevision;
    if (asked > this.#durableRevision) throw new FutureRevisionError(this.#durableRevision);
    return asked;
  }

  #assertReadable(revision: number): void {
    this.#assertOpen();
    if (revision < this.#compactRevision) throw new CompactedError(this.#compactRevision);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreUnavailableError('the store is closed');
  }
}

/**
 * First key and key after the last of a prefix. LMDB takes no empty keys, so the range of all keys starts at the least
 * one.
 */
function bounds(prefix: string): { start: Buffer; end: Buffer | undefined } {
  const bytes = Buffer.from(prefix);
  return { start: bytes.length === 0 ? Buffer.from([0]) : bytes, end: prefixEnd(bytes) };
}

/** Makes the names of newly created files durable, as fsync of a file alone does not. */
function syncDirectory(dir: string): void {
  const handle = openSync(dir, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
