/** Measures the calls to a store, for `etcd_request_duration_seconds` and similar metrics. */
import type { GrpcCallCounts } from './etcd/grpc-call-counts.ts';
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
} from './store.ts';

export type StoreOperation = 'get' | 'list' | 'create' | 'update' | 'delete' | 'count' | 'currentRevision' | 'compact';

/**
 * Called after each call, failed ones too. `type` is the key's resource, as `typeOf` says; empty where no key is
 * concerned. Must not throw.
 */
export type StoreObserver = (operation: StoreOperation, type: string, seconds: number) => void;

export interface ObservedStoreOptions {
  readonly observe: StoreObserver;
  /** The type for a key or prefix; default: its first segment. */
  readonly typeOf?: (key: string) => string;
  /** etcd: a lease was replaced that so many keys share. */
  readonly leaseReplaced?: (keys: number) => void;
  /** etcd: counts calls by method. */
  readonly callCounts?: GrpcCallCounts;
}

export class ObservedStore implements Store {
  readonly #store: Store;
  readonly #observe: StoreObserver;
  readonly #typeOf: (key: string) => string;

  constructor(store: Store, options: ObservedStoreOptions) {
    this.#store = store;
    this.#observe = options.observe;
    this.#typeOf = options.typeOf ?? firstSegment;
  }

  get(key: string, options?: GetOptions): Promise<KeyValue | undefined> {
    return this.#measure('get', key, this.#store.get(key, options));
  }

  range(prefix: string, options?: RangeOptions): Promise<Page> {
    return this.#measure('list', prefix, this.#store.range(prefix, options));
  }

  commit(key: string, options: CommitOptions): Promise<CommitResult> {
    const operation = options.value === undefined ? 'delete' : options.expectRevision === 0 ? 'create' : 'update';
    return this.#measure(operation, key, this.#store.commit(key, options));
  }

  watch(prefix: string, fromRevision: number): EventStream {
    return this.#store.watch(prefix, fromRevision);
  }

  currentRevision(): Promise<number> {
    return this.#measure('currentRevision', '', this.#store.currentRevision());
  }

  count(prefix: string): Promise<number> {
    return this.#measure('count', prefix, this.#store.count(prefix));
  }

  compact(revision: number): Promise<void> {
    return this.#measure('compact', '', this.#store.compact(revision));
  }

  ping(timeoutMs: number): Promise<void> {
    return this.#store.ping(timeoutMs);
  }

  get assertWritable(): (() => Promise<void>) | undefined {
    return this.#store.assertWritable?.bind(this.#store);
  }

  sizes(timeoutMs: number): Promise<readonly StoreSize[]> {
    return this.#store.sizes?.(timeoutMs) ?? Promise.resolve([]);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #measure<T>(operation: StoreOperation, key: string, call: Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await call;
    } finally {
      this.#observe(operation, this.#typeOf(key), (performance.now() - started) / 1000);
    }
  }
}

function firstSegment(key: string): string {
  const slash = key.indexOf('/');
  return slash === -1 ? key : key.slice(0, slash);
}
