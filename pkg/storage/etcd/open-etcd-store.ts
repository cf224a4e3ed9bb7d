import { readFileSync } from 'node:fs';
import { upkeepReport } from '../upkeep-report.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { CoordinatedCompaction } from './coordinated-compaction.ts';
import type { TlsMaterial } from './dial-member.ts';
import { EtcdStore } from './etcd-store.ts';
import { Etcd3Transport } from './etcd3-transport.ts';
import type { GrpcCallCounts } from './grpc-call-counts.ts';
import { FallbackTransport } from './fallback-transport.ts';
import { Http2Transport } from './http2-transport.ts';
import type { Http2TransportOptions } from './http2-transport.ts';
import { LazyEtcd3Client } from './lazy-etcd3-client.ts';
import type { EtcdTransport } from './transport.ts';

/** Paths of PEM files for connections to the store; the certificate and the key come together. */
export interface StoreTlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface EtcdStoreSettings {
  /** `http://host:port` or `https://host:port`, all with or all without TLS. A bare `host:port` means http. */
  readonly servers: readonly string[];
  /** The prefix of each key; slashes at its ends are optional. Default `/registry`. */
  readonly prefix?: string;
  readonly tlsFiles?: StoreTlsFiles;
  readonly auth?: { readonly username: string; readonly password: string };
  /**
   * Default: `http2`, and `etcd3` from when a server sends what `http2` does not understand; `etcd3` with `auth`, for
   * which it has the token handling.
   */
  readonly transport?: 'http2' | 'etcd3';
  /** How long a call may take, over all servers; default 10 s. */
  readonly timeoutMs?: number;
  /** How often an idle watch reports progress; default 5 s. */
  readonly progressIntervalMs?: number;
  /** How often history is compacted, by one of the servers that share the etcd; 0, the default: never. */
  readonly compactionIntervalMs?: number;
  /** Called with the number of keys that share a lease when another one replaces it. */
  readonly onLeaseReplaced?: ((keys: number) => void) | undefined;
  /** Counts the calls over `http2`. */
  readonly callCounts?: GrpcCallCounts | undefined;
  /** Called with warnings for the operator. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Opens the store without waiting for etcd. Throws `StoreUnavailableError` when the settings cannot work. */
export function openEtcdStore(settings: EtcdStoreSettings): EtcdStore {
  const servers = settings.servers.map(normalizeServer);
  if (servers.length === 0) throw new StoreUnavailableError('no store servers are given');
  if (new Set(servers.map((server) => server.protocol)).size > 1) {
    throw new StoreUnavailableError('store servers with and without TLS cannot be mixed');
  }
  const urls = servers.map((server) => server.origin);
  const isSecure = servers[0]!.protocol === 'https:';
  const tls = isSecure ? readTlsFiles(settings.tlsFiles ?? {}) : {};
  const timeoutMs = settings.timeoutMs ?? 10_000;
  const client = new LazyEtcd3Client({ servers: urls, tls, timeoutMs, ...(settings.auth && { auth: settings.auth }) });
  const transport = openTransport(settings, { servers: urls, tls, counts: settings.callCounts }, client);
  const store = new EtcdStore({
    transport,
    client,
    prefix: normalizePrefix(settings.prefix ?? '/registry'),
    timeoutMs,
    progressIntervalMs: settings.progressIntervalMs ?? 5000,
    onLeaseReplaced: settings.onLeaseReplaced,
  });
  if (settings.compactionIntervalMs) {
    const compaction = new CoordinatedCompaction({
      transport,
      timeoutMs,
      intervalMs: settings.compactionIntervalMs,
      compact: (revision) => store.compact(revision),
      report: upkeepReport(settings.warn ?? (() => undefined)),
    });
    store.onClose(() => compaction.stop());
  }
  return store;
}

function openTransport(
  { transport, auth, warn }: EtcdStoreSettings,
  options: Http2TransportOptions,
  client: LazyEtcd3Client,
): EtcdTransport {
  if (transport === 'etcd3' || (transport === undefined && auth !== undefined)) return new Etcd3Transport(client);
  const http2 = new Http2Transport(options);
  if (transport === 'http2') return http2;
  const onFallback = (reason: string): void =>
    warn?.(
      `etcd: the fast client does not understand a server, and the other one takes over until the next start: ${reason}`,
    );
  return new FallbackTransport({ first: http2, second: new Etcd3Transport(client), onFallback });
}

function normalizeServer(server: string): URL {
  const text = server.includes('://') ? server : `http://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '' || !/^https?:$/.test(url.protocol)) {
    throw new StoreUnavailableError(`"${server}" is no store server: it has to look like https://127.0.0.1:2379`);
  }
  return url;
}

/** `registry`, `/registry` and `/registry/` are the same place: a stock server has its keys under `/registry/`. */
function normalizePrefix(prefix: string): string {
  const bare = prefix.replace(/^\/+|\/+$/g, '');
  return bare === '' ? '/' : `/${bare}/`;
}

function readTlsFiles(files: StoreTlsFiles): TlsMaterial {
  const read = (path: string | undefined) => {
    if (path === undefined || path === '') return undefined;
    try {
      return readFileSync(path);
    } catch (cause) {
      throw new StoreUnavailableError(`cannot read the store's TLS file ${path}: ${(cause as Error).message}`, {
        cause,
      });
    }
  };
  const [ca, cert, key] = [read(files.caFile), read(files.certFile), read(files.keyFile)];
  if ((cert === undefined) !== (key === undefined)) {
    throw new StoreUnavailableError("the store's client certificate needs its key file, and the key its certificate");
  }
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}
