/**
 * A watch that survives the loss of connections and members. It keeps the revision up to which everything was delivered
 * and re-creates the watch right after it. Ends with `CompactedError` when etcd no longer has what is missing, with
 * `StoreRewoundError` when the store went backwards, and with `StoreUnavailableError` when etcd refuses the watch.
 */
import { CompactedError, StoreRewoundError, StoreUnavailableError } from '../store-errors.ts';
import type { EventBatch, EventStream, StoreEvent } from '../store.ts';
import type { OpenWatch, WatchConnection, WatchEnd } from './watch-connection.ts';

const queuedEventsMax = 2000;
const backoffMsMin = 50;
const backoffMsMax = 2000;
/** A member without a leader keeps its watches open and silent: after this long the watch moves to another. */
const silenceMsMax = 10_000;

export interface EtcdEventStreamOptions {
  readonly open: OpenWatch;
  readonly key: Uint8Array;
  readonly end: Uint8Array;
  /** Length of the store's prefix in bytes, removed from keys in events. */
  readonly prefixBytes: number;
  /** Deliver the changes after this revision. */
  readonly fromRevision: number;
  readonly progressIntervalMs: number;
  /** The store's revision, linearizable. */
  readonly currentRevision: () => Promise<number>;
  /** The newest revision in (after, upTo] that changed a watched key, or `after` when none did. */
  readonly lastChange: (after: number, upTo: number) => Promise<number>;
  readonly onClose: () => void;
}

export class EtcdEventStream implements EventStream, AsyncIterator<EventBatch> {
  readonly #options: EtcdEventStreamOptions;
  readonly #progressTimer: NodeJS.Timeout;
  #connection: WatchConnection | undefined;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #backoffMs = backoffMsMin;
  /** Everything up to this revision is in the queue or was taken from it. */
  #delivered: number;
  /** Known to be complete up to `upTo` once the change at `lastChange` has arrived. */
  #claim: { lastChange: number; upTo: number; madeAt: number } | undefined;
  #queue: EventBatch[] = [];
  #queuedEvents = 0;
  #wake: (() => void) | undefined;
  #failure: Error | undefined;
  #closed = false;
  #lastBatchAt = performance.now();
  #isCheckingProgress = false;

  constructor(options: EtcdEventStreamOptions) {
    this.#options = options;
    this.#delivered = options.fromRevision;
    this.#progressTimer = setInterval(() => {
      if (performance.now() - this.#lastBatchAt >= options.progressIntervalMs) this.requestProgress();
    }, options.progressIntervalMs / 2).unref();
    this.#connect();
  }

  [Symbol.asyncIterator](): AsyncIterator<EventBatch> {
    return this;
  }

  async next(): Promise<IteratorResult<EventBatch>> {
    for (;;) {
      const batch = this.#queue.shift();
      if (batch !== undefined) {
        this.#queuedEvents -= batch.events.length;
        if (this.#queuedEvents <= queuedEventsMax / 2) this.#connection?.resume();
        return { done: false, value: batch };
      }
      if (this.#failure !== undefined) {
        const error = this.#failure;
        this.close();
        throw error;
      }
      if (this.#closed) return { done: true, value: undefined };
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  async return(): Promise<IteratorResult<EventBatch>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#failure = undefined;
    this.#queue = [];
    this.#disconnect();
    this.#options.onClose();
    this.#wake?.();
  }

  /** Ends the stream with an error, after what is queued has been read. */
  fail(error: Error): void {
    if (this.#closed || this.#failure !== undefined) return;
    this.#failure = error;
    this.#disconnect();
    this.#wake?.();
  }

  /** Emits a batch soon whose revision is at least the store's revision now, unless changes advance it first. */
  requestProgress(): void {
    if (this.#isCheckingProgress) return;
    this.#isCheckingProgress = true;
    void this.#checkProgress().finally(() => (this.#isCheckingProgress = false));
  }

  #connect(): void {
    this.#reconnectTimer = undefined;
    const { open, key, end, prefixBytes } = this.#options;
    const range = { key, end, prefixBytes, startRevision: this.#delivered + 1 };
    const connection = open(range, {
      onCreated: ({ revision }) => {
        if (revision < this.#delivered) void this.#checkRewound();
      },
      onEvents: (events) => {
        this.#backoffMs = backoffMsMin;
        this.#deliver(this.#withoutDelivered(events));
      },
      onProgress: (revision) => this.#advance(revision),
      onEnd: (reason) => {
        if (this.#connection === connection) this.#ended(reason);
      },
    });
    this.#connection = connection;
    if (this.#queuedEvents > queuedEventsMax) connection.pause();
  }

  #disconnect(): void {
    clearInterval(this.#progressTimer);
    clearTimeout(this.#reconnectTimer);
    this.#connection?.close();
    this.#connection = undefined;
  }

  #ended(end: WatchEnd): void {
    this.#connection = undefined;
    if (this.#closed || this.#failure !== undefined) return;
    if (end.kind === 'compacted') this.fail(new CompactedError(end.compactRevision));
    else if (end.kind === 'refused' && /permission denied/.test(end.reason)) {
      this.fail(new StoreUnavailableError(`etcd refuses the watch: ${end.reason}`));
    } else {
      this.#reconnectTimer = setTimeout(() => this.#connect(), this.#backoffMs * (0.5 + Math.random() / 2)).unref();
      this.#backoffMs = Math.min(2 * this.#backoffMs, backoffMsMax);
    }
  }

  #deliver(events: StoreEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#delivered = last.revision;
    this.#push({ events, revision: last.revision });
    this.#settleClaim();
  }

  #withoutDelivered(events: StoreEvent[]): StoreEvent[] {
    // Changes come in order: it is enough to check the first, except where a member repeats changes.
    return events[0]!.revision > this.#delivered ? events : events.filter((event) => event.revision > this.#delivered);
  }

  #advance(revision: number): void {
    this.#delivered = Math.max(this.#delivered, revision);
    this.#push({ events: [], revision: this.#delivered });
  }

  #push(batch: EventBatch): void {
    this.#lastBatchAt = performance.now();
    this.#queue.push(batch);
    this.#queuedEvents += batch.events.length;
    if (this.#queuedEvents > queuedEventsMax) this.#connection?.pause();
    this.#wake?.();
  }

  async #checkProgress(): Promise<void> {
    try {
      const after = this.#delivered;
      const upTo = await this.#options.currentRevision();
      if (upTo > after) {
        const lastChange = await this.#options.lastChange(after, upTo);
        this.#claim = { lastChange, upTo, madeAt: this.#claim?.madeAt ?? performance.now() };
        this.#settleClaim();
        return;
      }
    } catch {
      // etcd does not answer: what was delivered stays valid.
    }
    if (!this.#closed && this.#failure === undefined) this.#advance(this.#delivered);
  }

  #settleClaim(): void {
    const claim = this.#claim;
    if (claim === undefined || this.#closed || this.#failure !== undefined) return;
    if (this.#delivered >= claim.lastChange) {
      this.#claim = undefined;
      if (claim.upTo > this.#delivered) this.#advance(claim.upTo);
    } else if (performance.now() - claim.madeAt > silenceMsMax && this.#queuedEvents === 0) {
      this.#claim = undefined;
      this.#connection?.abandon();
      this.#ended({ kind: 'broken', cause: new Error('the watch fell silent') });
    }
  }

  async #checkRewound(): Promise<void> {
    const known = this.#delivered;
    // A member that lags answers with an old revision too; only a linearizable answer decides. Without one, the next
    // connection checks again.
    const current = await this.#options.currentRevision().catch(() => undefined);
    if (current !== undefined && current < known) this.fail(new StoreRewoundError(known, current));
  }
}
