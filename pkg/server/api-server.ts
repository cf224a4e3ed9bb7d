import type { ClusterPolicy, UserInfo } from '../api/resource-definition.ts';
import type { ResourceRegistry } from '../api/resource-registry.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { ObjectSources } from '../client/informer/object-source.ts';
import type { Client } from '../client/rest/client.ts';
import type { Logger } from '../logging/logger.ts';
import type { ServerAddress } from '../net/server-address.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { Store } from '../storage/store.ts';
import type { AccessControl } from './access-control.ts';
import type { ApiPage } from './api-page/api-page.ts';
import { ConnectionRates } from './connections/connection-rates.ts';
import { ServedCatalog } from './documents/served-catalog.ts';
import type { RequestLimits } from './filter-chain.ts';
import type { RequestMetrics } from './filters/record-metrics.ts';
import type { FlowControl } from './flow-control/flow-control.ts';
import { HttpListener } from './http-listener.ts';
import type { Timeouts } from './listener/listener-limits.ts';
import { CacheSources } from './local/cache-sources.ts';
import { LocalClient, type LocalClientOptions } from './local/local-client.ts';
import { ProfilingPages } from './profiling/profiling-pages.ts';
import { RequestEntry } from './request-entry.ts';
import { requestHandler } from './request-handler.ts';
import { HttpExchange } from './request/http-exchange.ts';
import { ResourceInstaller } from './resource-installer.ts';
import type { ResourceStores } from './resource-stores.ts';
import { ServingState } from './serving-state.ts';
import { defaultStopTimes, StopSequence } from './stop-sequence.ts';
import type { SpecialHandlers } from './subresources/subresource-handlers.ts';
import { HealthChecks, HealthProblem } from './system/health.ts';
import type { MetricsTexts } from './system/system-paths.ts';
import type { ListenerTls } from './tls/listener-tls.ts';
import type { WatchLimits } from './watches/user-watches.ts';
import { WatchSessions } from './watches/watch-sessions.ts';
import type { WorkerPools } from './worker-pools.ts';

/** What options say of a server's insides: plain data. */
export interface ApiServerSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** `--emulated-version`: which release the server says it is, as a minor of its own major. */
  readonly emulatedMinor: number;
  /** What `/flagz` shows: options by name, secrets taken out. */
  readonly flags: ReadonlyMap<string, string>;
  readonly deleteCollectionWorkers: number;
  readonly minRequestTimeoutSeconds: number;
  readonly watchLimits: WatchLimits;
  readonly limits: RequestLimits;
  /** `--http2-max-streams-per-connection`; 0: the default. */
  readonly http2StreamsMax: number;
  /** `--goaway-chance`: share of HTTP/2 requests after which the client is to connect again. */
  readonly goawayChance: number;
  /** How long clients may take; for tests. */
  readonly timeouts?: Timeouts | undefined;
  /** `--max-connection-bytes-per-sec`; 0: as many as can be. */
  readonly connectionBytesPerSecond: number;
  /** Absent: no profiles are served. `contention`: delays of the event loop as well. */
  readonly profiling: { readonly contention: boolean } | undefined;
  /** Directory of the files under `/logs/`; absent: none are served. */
  readonly logDir: string | undefined;
  readonly compressResponses: boolean;
  readonly listsInChunks: boolean;
  readonly policy: ClusterPolicy;
  /** `--shutdown-delay-duration`: until load balancers have learned that the server stops. */
  readonly shutdownDelayMs: number;
}

/** What an API server is made of, finished and the caller's to close. */
export interface ApiServerParts {
  readonly registry: ResourceRegistry;
  readonly stores: ResourceStores;
  readonly pools: WorkerPools;
  /** Authenticator, authorizer and admission chain. */
  readonly accessControl: AccessControl;
  /** What is no read or write of a stored object, by the names that the dispatcher looks for. */
  readonly specialHandlers: SpecialHandlers;
  /** Absent where requests are bounded by the in-flight limits alone. */
  readonly flowControl: FlowControl | undefined;
  readonly tls: ListenerTls;
  /** Gets the port when the server listens. */
  readonly address: ServerAddress;
  readonly metrics: RequestMetrics &
    MetricsTexts & {
      healthChecked(page: string, check: string, isWell: boolean): void;
    };
  readonly logger: Logger;
  /** `--enable-apidoc-ui`; absent: there is no such page. */
  readonly apiPage?: ApiPage | undefined;
  /** Absent: requests are not written down. */
  readonly audit?: Auditor | undefined;
  readonly onError: (error: unknown, where: string) => void;
}

/** One API server: dispatcher and documents below, filters above, the listener on top. */
export class ApiServer {
  readonly registry: ResourceRegistry;
  readonly stores: ResourceStores;
  readonly pools: WorkerPools;
  readonly watches: WatchSessions;
  readonly health: HealthChecks;
  /** Changes what is served while the server runs. */
  readonly installer: ResourceInstaller;
  private readonly parts: ApiServerParts;
  private readonly catalog: ServedCatalog;
  private readonly state = new ServingState();
  private readonly entry: RequestEntry;
  private readonly listener: HttpListener;
  private readonly profiling: ProfilingPages | undefined;
  private readonly stopSequence: StopSequence;

  constructor(parts: ApiServerParts, settings: ApiServerSettings) {
    const { registry, stores, pools, metrics, onError, tls } = parts;
    this.parts = parts;
    this.registry = registry;
    this.stores = stores;
    this.pools = pools;
    this.watches = new WatchSessions(settings.watchLimits);
    this.installer = new ResourceInstaller(registry, stores, this.watches);
    this.catalog = new ServedCatalog(registry);
    this.health = healthChecks(parts);
    if (settings.profiling !== undefined)
      this.profiling = new ProfilingPages({
        ...settings.profiling,
        encode: (profile) => pools.encodeProfile(profile),
      });
    const { watches, catalog, health, state, profiling } = this;
    const { connectionBytesPerSecond: bytesPerSecond } = settings;
    const entry = new RequestEntry({
      handler: requestHandler({ ...parts, watches, catalog, health, state, profiling }, settings),
      state,
      rates: bytesPerSecond > 0 ? new ConnectionRates({ bytesPerSecond }) : undefined,
      onError,
    });
    this.entry = entry;
    this.listener = new HttpListener({
      tls,
      host: settings.host,
      port: settings.port,
      streamsMax: settings.http2StreamsMax,
      goawayChance: settings.goawayChance,
      timeouts: settings.timeouts,
      onHandshakeFailed: () => metrics.handshakeFailed(),
      handle: (request, response, body) => entry.handle(new HttpExchange(request, response), body),
    });
    this.stopSequence = new StopSequence({
      times: { ...defaultStopTimes, delayMs: settings.shutdownDelayMs },
      state,
      listener: this.listener,
      watches,
      shortOver: () => entry.shortOver(),
      requestsOver: () => entry.over(),
    });
  }

  /** `apps/v1` and so on: what it serves. */
  get groupVersions(): string[] {
    return [...this.catalog.groupVersions];
  }

  /** The store of what has no store of its own. */
  get store(): Store {
    return this.stores.main;
  }

  /** The store of `deployments.apps` or `pods`. */
  storeOf(name: string): ResourceStore {
    return this.stores.of(name);
  }

  /** Listens, at the port that is in the address from then on. Requests wait for `serve`; those for health do not. */
  async listen(): Promise<void> {
    // The last of the list, as operators know it.
    this.health.add({
      name: 'shutdown',
      pages: ['readyz'],
      check: () => assertWell(!this.state.stopAnnounced, 'process is shutting down'),
    });
    await this.profiling?.start();
    this.parts.address.listensOn(await this.listener.listen());
  }

  /** Answers requests from now on. */
  serve(): void {
    this.state.serve();
  }

  /** Tells load balancers and clients that the server is about to stop: the shutdown delay begins. */
  announceStop(): void {
    this.stopSequence.announce();
  }

  /**
   * Continues to serve for the shutdown delay, but is not ready; then ends watches and finishes requests in flight. The
   * caller closes the parts.
   */
  async stop(): Promise<void> {
    await this.stopSequence.run();
    this.profiling?.stop();
  }

  /** The object API for programs of this process, as `user`. Calls wait while the server begins to serve. */
  localClient(user: UserInfo, options: LocalClientOptions = {}): Client {
    return new LocalClient(user, (exchange) => this.entry.handle(exchange, {}), options);
  }

  /**
   * The sources of this process's informers, as `user`: the caches' own objects. `report` is called with the reason
   * when one fails; it retries.
   */
  localSources(user: UserInfo, report: (error: unknown) => void): ObjectSources {
    const { registry, stores, accessControl } = this.parts;
    return new CacheSources({ registry, stores, user, authorizer: accessControl.authorizer, report });
  }
}

/** Those that every server has; others are added to them. */
function healthChecks({ stores, logger, metrics, onError }: ApiServerParts): HealthChecks {
  const health = new HealthChecks(
    (name, error) => onError(error, `health check ${name}`),
    (...result) => metrics.healthChecked(...result),
  );
  health.add({ name: 'ping', check: () => undefined });
  health.add({ name: 'log', check: () => logger.assertWritten() });
  health.add({ name: 'etcd', check: () => stores.ping(2000) });
  const { assertWritable } = stores;
  // Not for `/livez`: a restart makes no room on a disk, and would end reads and watches that work.
  if (assertWritable !== undefined) health.add({ name: 'store-writable', pages: ['readyz'], check: assertWritable });
  health.add({
    name: 'informer-sync',
    pages: ['readyz'],
    check: () => assertWell(stores.ready, 'the watch cache is loading'),
  });
  return health;
}

function assertWell(holds: boolean, reason: string): void {
  if (!holds) throw new HealthProblem(reason);
}
