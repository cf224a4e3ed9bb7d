/**
 * Watches of the embedded store. A watcher holds only its position and pulls: from the newest groups in memory while it
 * keeps up, else from the log. So a slow watcher costs no memory, loses nothing, and fails only when its position was
 * compacted.
 */
import { CompactedError, StoreRewoundError, StoreUnavailableError } from '../store-errors.ts';
import type { EventBatch, EventStream, StoreEvent } from '../store.ts';
import { TurnBudget } from '../turn-budget.ts';
import type { EmbeddedDatabase } from './database.ts';
import { decodeRecord, decodeRevision, encodeRevision, readableRecord } from './record.ts';
import type { LogRecord } from './record.ts';

const recentGroupsMax = 16;
const sliceRecords = 256;

interface RecentGroup {
  /** The group holds the revisions after this one, up to `revision`. */
  readonly after: number;
  readonly revision: number;
  readonly events: readonly StoreEvent[];
}

/** A record of the log with its revision. */
export interface LoggedChange {
  readonly revision: number;
  readonly record: Buffer;
}

export interface ChangeFeedOptions {
  readonly database: EmbeddedDatabase;
  /** The newest durable revision at the start. */
  readonly revision: number;
  readonly compactRevision: number;
  /** A watch without events reports its progress this often. */
  readonly progressIntervalMs: number;
}

export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #waiting = new Set<() => void>();
  readonly #open = new Set<Watcher>();
  #recent: RecentGroup[] = [];
  #revision: number;
  #compactRevision: number;
  #closed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    this.#revision = options.revision;
    this.#compactRevision = options.compactRevision;
  }

  /**
   * Makes the log up to `revision` visible to watchers. `changes`, when given, are all records since the last call, in
   * order.
   */
  publish(revision: number, changes?: readonly LoggedChange[]): void {
    if (changes === undefined || this.#open.size === 0) this.#recent = [];
    else {
      const events = changes.map((change) => this.#event(change.revision, decodeRecord(change.record)));
      this.#recent.push({ after: this.#revision, revision, events });
      if (this.#recent.length > recentGroupsMax) this.#recent.shift();
    }
    this.#revision = revision;
    this.#wakeAll();
  }

  compactedTo(revision: number): void {
    this.#compactRevision = revision;
  }

  watch(prefix: string, fromRevision: number): EventStream {
    const watcher: Watcher = new Watcher({
      position: fromRevision,
      next: (position) => this.#next(prefix, position, watcher),
      onClose: () => {
        this.#open.delete(watcher);
        this.#wakeAll();
      },
    });
    this.#open.add(watcher);
    return watcher;
  }

  close(): void {
    this.#closed = true;
    this.#wakeAll();
  }

  async #next(prefix: string, position: number, watcher: Watcher): Promise<EventBatch | undefined> {
    if (position > this.#revision) throw new StoreRewoundError(position, this.#revision);
    if (position === this.#revision) await this.#changeOrTimeout(watcher);
    if (watcher.closed) return undefined;
    if (this.#closed) throw new StoreUnavailableError('the store is closed');
    if (position < this.#compactRevision) throw new CompactedError(this.#compactRevision);
    if (position === this.#revision) return { events: [], revision: position };
    const group = this.#recent.find((candidate) => candidate.after <= position && position < candidate.revision);
    const found = group ?? this.#readLog(position, this.#revision);
    const events = found.events.filter((event) => event.revision > position && event.key.startsWith(prefix));
    return { events, revision: found.revision };
  }

  /** Events after `position` up to `end`, or fewer when there are many; `revision` says how far they reach. */
  #readLog(position: number, end: number): { events: StoreEvent[]; revision: number } {
    const { log } = this.#options.database.tables;
    const budget = new TurnBudget();
    const events: StoreEvent[] = [];
    const range = { start: encodeRevision(position + 1), end: encodeRevision(end + 1), limit: sliceRecords };
    for (const entry of log.getRange(range)) {
      const revision = decodeRevision(entry.key);
      const record = readableRecord(revision, entry.value);
      // The changes there are unknown: watchers have to list again, as after a compaction.
      if (record === undefined) throw new CompactedError(revision);
      events.push(this.#event(revision, record));
      if (budget.spent()) break;
    }
    return { events, revision: events.at(-1)?.revision ?? end };
  }

  #event(revision: number, record: LogRecord): StoreEvent {
    const { previousRevision } = record;
    const bytes =
      previousRevision > 0 ? this.#options.database.tables.log.getBinary(encodeRevision(previousRevision)) : undefined;
    const before = bytes && readableRecord(previousRevision, bytes);
    const previous = before === undefined ? {} : { previous: { value: before.value, modRevision: previousRevision } };
    if (record.deleted) return { type: 'delete', key: record.key, revision, ...previous };
    return {
      type: 'put',
      key: record.key,
      revision,
      value: record.value,
      createRevision: record.createRevision,
      ...previous,
    };
  }

  #changeOrTimeout(watcher: Watcher): Promise<void> {
    if (this.#closed || watcher.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, this.#options.progressIntervalMs).unref();
      this.#waiting.add(wake);
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}

interface WatcherOptions {
  position: number;
  next: (position: number) => Promise<EventBatch | undefined>;
  onClose: () => void;
}

class Watcher implements EventStream, AsyncIterator<EventBatch> {
  readonly #options: WatcherOptions;
  closed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): AsyncIterator<EventBatch> {
    return this;
  }

  async next(): Promise<IteratorResult<EventBatch>> {
    if (this.closed) return { done: true, value: undefined };
    try {
      const batch = await this.#options.next(this.#options.position);
      if (batch === undefined) return { done: true, value: undefined };
      this.#options.position = batch.revision;
      return { done: false, value: batch };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<EventBatch>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#options.onClose();
  }
}
