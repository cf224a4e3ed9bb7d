/**
 * The seam to a durable key-value store with revisions. `etcd/` and `embedded/` implement it; `store-contract.ts` is
 * the suite both pass. Keys are relative: the etcd store prepends `--store-prefix` and a slash.
 *
 * Invariants: revisions are one increasing number per store; a commit resolves only after it is durable; a watch is
 * ordered and gap-free or fails with `CompactedError`. Implementations throw the errors of `store-errors.ts` and
 * nothing else that callers need to distinguish.
 */

/** A stored value. `value` belongs to the caller: it is never a view into a larger response page. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the last write to this key. */
  readonly modRevision: number;
  /** Revision at which the key was created. */
  readonly createRevision: number;
}

/** A consistent snapshot of a prefix at `revision`, or one page of it, in key order. */
export interface Page {
  readonly items: KeyValue[];
  /** The revision the snapshot shows. */
  readonly revision: number;
  /** True when keys after the last item remain. */
  readonly more: boolean;
}

export interface GetOptions {
  /** Read as of this revision; default: newest, linearizable. */
  revision?: number;
}

export interface RangeOptions {
  revision?: number;
  /** Most items in the page; default: all. */
  limit?: number;
  /** Only keys greater than this one. */
  after?: string;
}

export interface CommitOptions {
  /** The key's modRevision that must be current; 0: the key must not exist. */
  expectRevision: number;
  /** The new value; none deletes the key. */
  value?: Uint8Array;
  /** Lifetime of the key from now, in whole seconds. */
  ttlSeconds?: number;
}

/** `revision` is the commit's own, greater than every earlier one. A conflict has the current value (none: absent). */
export type CommitResult =
  { readonly ok: true; readonly revision: number } | { readonly ok: false; readonly current: KeyValue | undefined };

/** One change. Deletes carry the last value in `previous`, as puts to an existing key do. */
export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** Revision of this change. */
  readonly revision: number;
  /** The new value, for a put. */
  readonly value?: Uint8Array;
  readonly createRevision?: number;
  /** Value before the change, if the store still has it. */
  readonly previous?: { readonly value: Uint8Array; readonly modRevision: number };
}

/** What a watch delivers: the events of one or more whole revisions, or progress alone (`events` empty). */
export interface EventBatch {
  readonly events: StoreEvent[];
  /** All changes to the prefix up to this revision have been delivered. */
  readonly revision: number;
}

/**
 * Iterates over batches until closed; throws `CompactedError`, `StoreRewoundError` or `StoreUnavailableError`. One
 * reader at a time. Loss of the connection to the store is no error: the stream continues where it was when the store
 * is back.
 */
export interface EventStream extends AsyncIterable<EventBatch> {
  close(): void;
  /**
   * Requests a batch soon whose revision is at least the store's revision now. Absent where the stream is always that
   * far.
   */
  requestProgress?(): void;
}

/** Bytes of the store's data on the disk of one of its servers. */
export interface StoreSize {
  readonly endpoint: string;
  readonly bytes: number;
}

export interface Store {
  /** The newest value (or that at `revision`); undefined when the key is absent. */
  get(key: string, options?: GetOptions): Promise<KeyValue | undefined>;
  range(prefix: string, options?: RangeOptions): Promise<Page>;
  /**
   * Compare-and-swap of one key. Deleting an absent key, with `expectRevision` 0, succeeds without a change. Throws
   * `InvalidKeyError`, `ValueTooLargeError`, or `StoreUnavailableError` (`ambiguous` when the write may still happen).
   */
  commit(key: string, options: CommitOptions): Promise<CommitResult>;
  /**
   * Changes after `fromRevision` (exclusive) to keys under `prefix`. Progress batches come at least every ten seconds
   * when idle.
   */
  watch(prefix: string, fromRevision: number): EventStream;
  /** Linearizable: no write acknowledged before the call is newer than the answer. */
  currentRevision(): Promise<number>;
  /**
   * The value of this revision is stored in another form than a new one would be: an update that changes nothing writes
   * it all the same.
   */
  isStale?(key: string, modRevision: number): boolean;
  /** Number of keys under the prefix. */
  count(prefix: string): Promise<number>;
  /**
   * Drops history below `revision`: reads at it or above keep working, below throw `CompactedError`. Does nothing when
   * that is compacted already; throws `FutureRevisionError` beyond the newest revision.
   */
  compact(revision: number): Promise<void>;
  /** Resolves when the store answers within `timeoutMs`; throws `StoreUnavailableError` otherwise. */
  ping(timeoutMs: number): Promise<void>;
  /**
   * Throws `StoreUnavailableError` while writes are refused although reads work, as on a full disk. Absent where this
   * is unknown.
   */
  assertWritable?(): Promise<void>;
  /** Per server that answers within `timeoutMs`. Absent where this is unknown. */
  sizes?(timeoutMs: number): Promise<readonly StoreSize[]>;
  close(): Promise<void>;
}
