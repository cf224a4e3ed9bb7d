/**
 * The Store on an etcd cluster. Keys in etcd are the prefix and the key, so that the data is where a stock API server
 * has it. Reads, writes and watches use the transport; leases and compaction use etcd3.
 */
import { StoreUnavailableError } from '../store-errors.ts';
import { assertKey, keyProblem, prefixEnd } from '../store-key.ts';
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
import { EtcdCalls } from './etcd-calls.ts';
import { grpcStatus } from './etcd-call-error.ts';
import { EtcdEventStream } from './etcd-event-stream.ts';
import { toCallError } from './etcd3-transport.ts';
import type { LazyEtcd3Client } from './lazy-etcd3-client.ts';
import { LeasePool } from './lease-pool.ts';
import { readPages } from './range-pager.ts';
import { RevisionGuard } from './revision-guard.ts';
import type { EtcdKeyValue, EtcdTransport } from './transport.ts';
import type { OpenWatch } from './watch-connection.ts';
import { compactRevisionOf, lastChangeOf } from './watch-probe.ts';

export interface EtcdStoreOptions {
  readonly transport: EtcdTransport;
  /** The store closes both. */
  readonly client: LazyEtcd3Client;
  /** The prefix of each key, with its slash at the end: `/registry/`. */
  readonly prefix: string;
  /** How long a call may take, over all servers. */
  readonly timeoutMs: number;
  /** How often an idle watch reports progress. */
  readonly progressIntervalMs: number;
  /** Called with the number of keys that share a lease when another one replaces it. */
  readonly onLeaseReplaced?: ((keys: number) => void) | undefined;
}

export class EtcdStore implements Store {
  readonly #options: EtcdStoreOptions;
  readonly #prefix: Buffer;
  readonly #openWatch: OpenWatch;
  readonly #calls: EtcdCalls;
  readonly #streams = new Set<EtcdEventStream>();
  readonly #closers: (() => void)[] = [];
  #closed = false;

  constructor(options: EtcdStoreOptions) {
    this.#options = options;
    this.#prefix = Buffer.from(options.prefix);
    this.#openWatch = (range, listener) => options.transport.watch(range, listener);
    this.#calls = new EtcdCalls({
      transport: options.transport,
      timeoutMs: options.timeoutMs,
      guard: new RevisionGuard((error) => this.#endStreams(error)),
      leases: new LeasePool({
        grant: (ttlSeconds) => this.#grantLease(ttlSeconds),
        now: () => performance.now(),
        onReplaced: options.onLeaseReplaced,
      }),
      compactRevision: () => compactRevisionOf(this.#openWatch),
      absentKey: this.#key('\0'),
    });
  }

  async get(key: string, options: GetOptions = {}): Promise<KeyValue | undefined> {
    this.#assertOpen();
    if (keyProblem(key) !== undefined) return undefined;
    const { items } = await this.#calls.range({ key: this.#key(key), revision: options.revision });
    return items[0] && this.#keyValue(items[0]);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    this.#assertOpen();
    const start = this.#key(prefix);
    const after = options.after === undefined ? start : Buffer.concat([this.#key(options.after), Buffer.from([0])]);
    const key = Buffer.compare(after, start) > 0 ? after : start;
    const end = this.#end(prefix);
    const limit = options.limit || Infinity;
    const page = await readPages({ key, end, limit, revision: options.revision }, (call) => this.#calls.range(call));
    return { ...page, items: page.items.map((item) => this.#keyValue(item)) };
  }

  async commit(key: string, options: CommitOptions): Promise<CommitResult> {
    this.#assertOpen();
    assertKey(key);
    const compare = { target: 'modRevision', value: options.expectRevision } as const;
    const ttlSeconds = options.value && options.ttlSeconds;
    const answer = await this.#calls.swap({ key: this.#key(key), compare, value: options.value }, ttlSeconds);
    if (answer.succeeded) return { ok: true, revision: answer.revision };
    return { ok: false, current: answer.current && this.#keyValue(answer.current) };
  }

  watch(prefix: string, fromRevision: number): EventStream {
    this.#assertOpen();
    const stream: EtcdEventStream = new EtcdEventStream({
      open: this.#openWatch,
      key: this.#key(prefix),
      end: this.#end(prefix),
      prefixBytes: this.#prefix.length,
      fromRevision,
      progressIntervalMs: this.#options.progressIntervalMs,
      currentRevision: () => this.currentRevision(),
      lastChange: (after, upTo) => lastChangeOf(this.#openWatch, after, upTo, this.#options.prefix + prefix),
      onClose: () => this.#streams.delete(stream),
    });
    this.#streams.add(stream);
    return stream;
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#calls.currentRevision();
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    return (await this.#calls.range({ key: this.#key(prefix), end: this.#end(prefix), countOnly: true })).count;
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    try {
      await (await this.#options.client.get()).kv.compact({ revision });
    } catch (cause) {
      const error = toCallError(cause);
      if (error.code === grpcStatus.outOfRange && error.message.includes('has been compacted')) return;
      throw await this.#calls.translate(error);
    }
  }

  async ping(timeoutMs: number): Promise<void> {
    this.#assertOpen();
    await this.#calls.currentRevision(timeoutMs);
  }

  async sizes(timeoutMs: number): Promise<readonly StoreSize[]> {
    this.#assertOpen();
    return (await this.#options.transport.sizes?.({ timeoutMs })) ?? [];
  }

  /** Runs `close` when the store is closed, before its connections are. */
  onClose(close: () => void): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#endStreams(new StoreUnavailableError('the store is closed'));
    for (const close of this.#closers) close();
    this.#options.transport.close();
    this.#options.client.close();
  }

  async #grantLease(ttlSeconds: number): Promise<string> {
    try {
      const client = await this.#options.client.get();
      return (await client.leaseClient.leaseGrant({ TTL: ttlSeconds })).ID;
    } catch (cause) {
      // Nothing is written yet: a lease that may exist without keys is harmless.
      throw new StoreUnavailableError(`etcd: no lease: ${toCallError(cause).message}`, { cause });
    }
  }

  #endStreams(error: Error): void {
    for (const stream of this.#streams) stream.fail(error);
  }

  #key(key: string): Buffer {
    return Buffer.concat([this.#prefix, Buffer.from(key)]);
  }

  #end(prefix: string): Buffer {
    // etcd reads a zero byte as "to the end of all keys".
    return prefixEnd(this.#key(prefix)) ?? Buffer.from([0]);
  }

  #keyValue(item: EtcdKeyValue): KeyValue {
    const key = item.key.toString('utf8', this.#prefix.length);
    return { key, value: item.value, modRevision: item.modRevision, createRevision: item.createRevision };
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreUnavailableError('the store is closed');
  }
}
