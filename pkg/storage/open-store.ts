/**
 * Opens the configured store. The implementation is loaded only now, with the native module of the embedded store or
 * the clients of etcd.
 */
import { ObservedStore } from './observed-store.ts';
import type { ObservedStoreOptions } from './observed-store.ts';
import { StoreUnavailableError } from './store-errors.ts';
import type { Store } from './store.ts';
import { upkeepReport } from './upkeep-report.ts';

/** Values of `--storage-backend`. */
const storeBackends = ['etcd3', 'embedded'] as const;
export type StoreBackend = (typeof storeBackends)[number];

export interface OpenStoreOptions {
  readonly backend: StoreBackend;
  /** etcd: `--store-servers`, at least one. */
  readonly servers?: readonly string[];
  /**
   * etcd: `--store-prefix`, default `/registry`. The embedded store uses no prefix, since it shares its directory with
   * nothing else.
   */
  readonly prefix?: string;
  /** etcd: paths of PEM files. */
  readonly certFiles?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** etcd: user and password, when etcd has authentication on. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** etcd: how calls are made; for comparisons. */
  readonly transport?: 'http2' | 'etcd3';
  /** embedded: where the data is; created when absent. */
  readonly dataDir?: string;
  /** embedded: writes are flushed to disk before they are acknowledged; default true. */
  readonly durable?: boolean;
  /** `--store-compaction-interval` in milliseconds; 0, the default: history is kept. */
  readonly compactionIntervalMs?: number;
  /** Measures calls. */
  readonly observer?: ObservedStoreOptions;
  /** Called with warnings for the operator. */
  readonly warn?: (message: string) => void;
}

/**
 * Resolves when the embedded data is open, or at once for etcd: `ping` says whether it answers. Throws
 * `StoreUnavailableError` when the options cannot work or the data directory has another owner.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const store = options.backend === 'embedded' ? await openEmbedded(options) : await openEtcd(options);
  return options.observer === undefined ? store : new ObservedStore(store, options.observer);
}

async function openEmbedded(options: OpenStoreOptions): Promise<Store> {
  if (!options.dataDir) throw new StoreUnavailableError('the embedded store needs a data directory');
  const { EmbeddedStore } = await import('./embedded/embedded-store.ts');
  const { dataDir, durable, compactionIntervalMs, warn } = options;
  return new EmbeddedStore({ dataDir, durable, compactionIntervalMs, report: warn && upkeepReport(warn) });
}

async function openEtcd(options: OpenStoreOptions): Promise<Store> {
  const { openEtcdStore } = await import('./etcd/open-etcd-store.ts');
  const { servers = [], prefix, certFiles, auth, transport, compactionIntervalMs, observer, warn } = options;
  return openEtcdStore({
    servers,
    prefix,
    tlsFiles: certFiles,
    auth,
    transport,
    compactionIntervalMs,
    onLeaseReplaced: observer?.leaseReplaced,
    callCounts: observer?.callCounts,
    warn,
  });
}
