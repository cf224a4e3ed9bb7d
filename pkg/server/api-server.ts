import type { AnyResource, ClusterPolicy, UserInfo } from '../api/resource-definition.ts';
import type { ResourceRegistry } from '../api/resource-registry.ts';
import type { JsonPatchApplier } from '../apimachinery/patch/json-patch-applier.ts';
import type { ObjectSources } from '../client/informer/object-source.ts';
import type { Client } from '../client/rest/client.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { cacheName, type ResourceStore } from '../registry/resource-store.ts';
import type { Store } from '../storage/store.ts';
import type { WorkerPools } from './worker-pools.ts';
import type { Logger } from '../logging/logger.ts';
import type { ApiPage } from './api-page/api-page.ts';
import { auditIdOf } from './request/audit-id.ts';
import { BodyBudget } from './bodies/body-budget.ts';
import { ConnectionRates } from './connections/connection-rates.ts';
import { DiscoveryDocuments } from './discovery/discovery-documents.ts';
import { Dispatcher } from './dispatcher.ts';
import { ServedCatalog } from './documents/served-catalog.ts';
import { chainHandlers, filterChain, type RequestLimits } from './filter-chain.ts';
import { FlowControl } from './flow-control/flow-control.ts';
import { FlowControlPages } from './flow-control/flow-control-pages.ts';
import type { FlowControlObserver } from './flow-control/flow-controller.ts';
import { UnreadAnswers } from './flow-control/unread-answers.ts';
import type { AccessControl } from './access-control.ts';
import type { RequestMetrics } from './filters/record-metrics.ts';
import type { SubresourceHandler } from './subresources/subresource-handlers.ts';
import { HealthChecks, HealthProblem, isHealthPath } from './system/health.ts';
import { HttpListener } from './http-listener.ts';
import type { Timeouts } from './listener/listener-limits.ts';
import { LogPages } from './logs/log-pages.ts';
import { OpenRequests } from './request/open-requests.ts';
import { OpenApiDocuments } from './openapi/openapi-documents.ts';
import { ProfilingPages } from './profiling/profiling-pages.ts';
import { BulkEncoder } from './representation/bulk-encoder.ts';
import { CacheSources } from './local/cache-sources.ts';
import { LocalClient, type LocalClientOptions } from './local/local-client.ts';
import type { Exchange } from './request/exchange.ts';
import { HttpExchange } from './request/http-exchange.ts';
import { RequestContext, type Handler, type RequestBody } from './request/request-context.ts';
import { parseRequestInfo } from './request/request-info.ts';
import { isLongRunning } from './request/request-kind.ts';
import { requestTarget } from './request/request-target.ts';
import type { ServerParts } from './resource-endpoint.ts';
import { ResourceInstaller } from './resource-installer.ts';
import { ResourceStores, type ResourceStoresOptions } from './resource-stores.ts';
import { StatusPages } from './status-pages/status-pages.ts';
import { defaultStopTimes, StopSequence } from './stop-sequence.ts';
import { SystemPaths } from './system/system-paths.ts';
import type { ListenerTls } from './tls/listener-tls.ts';
import { apiRelease } from './system/version.ts';
import type { WatchLimits } from './watches/user-watches.ts';
import { WatchSessions } from './watches/watch-sessions.ts';

/** Everything one API server is made of, chosen by the caller. */
export interface ApiServerOptions extends Omit<ResourceStoresOptions, 'scheme' | 'onError'> {
  readonly registry: ResourceRegistry;
  readonly host: string;
  readonly port: number;
  readonly tls: ListenerTls;
  readonly logger: Logger;
  readonly metrics: RequestMetrics & {
    text(): Promise<{ contentType: string; body: string }>;
    healthText(): Promise<{ contentType: string; body: string }>;
    healthChecked(page: string, check: string, isWell: boolean): void;
  };
  /** `--emulated-version`: which release the server says it is, as a minor of its own major; default: its own. */
  readonly emulatedMinor?: number;
  /** What `/flagz` shows: options by name, secrets taken out; default: nothing. */
  readonly flags?: ReadonlyMap<string, string>;
  /** The server closes them when it stops. */
  readonly pools: WorkerPools;
  readonly accessControl: (stores: StoreAccess, applyJsonPatch: JsonPatchApplier) => AccessControl;
  readonly specialHandlers: (
    stores: StoreAccess,
    accessControl: AccessControl,
  ) => ReadonlyMap<string, SubresourceHandler>;
  readonly deleteCollectionWorkers: number;
  readonly minRequestTimeoutSeconds: number;
  readonly watchLimits: WatchLimits;
  readonly limits: RequestLimits;
  readonly flowObserver: FlowControlObserver;
  /** `--http2-max-streams-per-connection`; 0: the default. */
  readonly http2StreamsMax: number;
  /** `--goaway-chance`: share of HTTP/2 requests after which the client is to connect again. */
  readonly goawayChance: number;
  /** How long clients may take; for tests. */
  readonly timeouts?: Timeouts | undefined;
  /** `--max-connection-bytes-per-sec`; 0: as many as can be. */
  readonly connectionBytesPerSecond: number;
  /** `--enable-apidoc-ui`; absent: there is no such page. */
  readonly apiPage?: ApiPage | undefined;
  /** Absent: requests are not written down. */
  readonly audit?: Auditor | undefined;
  /** Absent: no profiles are served. `contention`: delays of the event loop as well. */
  readonly profiling: { readonly contention: boolean } | undefined;
  /** Directory of the files under `/logs/`; absent: none are served. */
  readonly logDir: string | undefined;
  readonly compressResponses: boolean;
  readonly listsInChunks: boolean;
  readonly policy: ClusterPolicy;
  /** `--shutdown-delay-duration`: until load balancers have learned that the server stops. */
  readonly shutdownDelayMs?: number;
  /** `host:port` that discovery tells clients. */
  readonly advertise: () => string;
  readonly onError: (error: unknown, where: string) => void;
}

/** One API server: stores and cacher below, handlers and filters above, the listener on top. */
export class ApiServer {
  readonly registry: ResourceRegistry;
  /** Changes what is served while the server runs. */
  readonly installer: ResourceInstaller;
  private readonly catalog: ServedCatalog;
  readonly store: Store;
  readonly stores: ResourceStores;
  readonly health: HealthChecks;
  readonly watches: WatchSessions;
  readonly pools: WorkerPools;
  private readonly options: ApiServerOptions;
  private readonly listener: HttpListener;
  private readonly handler: Handler;
  private readonly authorizer: Authorizer;
  private readonly profiling: ProfilingPages | undefined;
  /** Absent where requests are bounded by the in-flight limits alone. */
  readonly flowControl: FlowControl | undefined;
  /** Absent where nothing is throttled. */
  private readonly rates: ConnectionRates | undefined;
  private readonly stopSequence: StopSequence;
  /** Requests that are not over: those that end by themselves, and long-running ones. */
  private readonly inFlight = { short: new OpenRequests(), long: new OpenRequests() };
  /** Resolves when the server begins to serve; undefined from then on. */
  private opening: Promise<void> | undefined;

  constructor(options: ApiServerOptions) {
    this.options = options;
    this.watches = new WatchSessions(options.watchLimits);
    this.registry = options.registry;
    this.store = options.store;
    this.pools = options.pools;
    this.health = new HealthChecks(
      (name, error) => options.onError(error, `health check ${name}`),
      (...result) => options.metrics.healthChecked(...result),
    );
    this.stores = new ResourceStores({
      ...options,
      scheme: this.registry,
      onError: (e) => options.onError(e, 'watch cache'),
    });
    this.installer = new ResourceInstaller(this.registry, this.stores, this.watches);
    this.catalog = new ServedCatalog(this.registry);
    this.addHealthChecks();
    if (options.profiling !== undefined)
      this.profiling = new ProfilingPages({
        ...options.profiling,
        encode: (profile) => this.pools.encodeProfile(profile),
      });
    this.flowControl = this.makeFlowControl();
    const accessControl = options.accessControl(this.stores.access, (document, patch, bytes) =>
      this.pools.patch({ type: 'json', document, patch, message: '' }, bytes),
    );
    this.authorizer = accessControl.authorizer;
    this.handler = this.makeHandler(accessControl);
    const { connectionBytesPerSecond: bytesPerSecond } = options;
    if (bytesPerSecond > 0) this.rates = new ConnectionRates({ bytesPerSecond });
    this.listener = new HttpListener({
      tls: options.tls,
      host: options.host,
      port: options.port,
      streamsMax: options.http2StreamsMax,
      goawayChance: options.goawayChance,
      timeouts: options.timeouts,
      onHandshakeFailed: () => options.metrics.handshakeFailed(),
      handle: (request, response, body) => this.handle(new HttpExchange(request, response), body),
    });
    this.stopSequence = new StopSequence({
      times: { ...defaultStopTimes, delayMs: options.shutdownDelayMs ?? 0 },
      listener: this.listener,
      watches: this.watches,
      shortOver: () => this.inFlight.short.over(),
      requestsOver: () => this.requestsOver(),
    });
  }

  /** `apps/v1` and so on: what it serves. */
  get groupVersions(): string[] {
    return [...this.catalog.groupVersions];
  }

  /** The store of `deployments.apps` or `pods`. */
  storeOf(name: string): ResourceStore {
    return this.stores.of(name);
  }

  private makeFlowControl(): FlowControl | undefined {
    const { fairly, inFlight } = this.options.limits;
    const totalSeats = inFlight.readOnly + inFlight.mutating;
    // Without limits there is nothing to share.
    if (!fairly || totalSeats === 0) return undefined;
    return new FlowControl({
      stores: this.stores,
      totalSeats,
      observer: this.options.flowObserver,
      onError: (e) => this.options.onError(e, 'priority and fairness'),
    });
  }

  private makeHandler(accessControl: AccessControl): Handler {
    const { flowControl } = this;
    const { access } = this.stores;
    const { emulatedMinor = Number(apiRelease.minor) } = this.options;
    const { catalog } = this;
    const parts: ServerParts = {
      admission: accessControl.admission,
      authorizer: accessControl.authorizer,
      pools: this.pools,
      bulk: new BulkEncoder(this.pools),
      watches: this.watches,
      deleteCollectionWorkers: this.options.deleteCollectionWorkers,
      minRequestTimeoutSeconds: this.options.minRequestTimeoutSeconds,
      compressResponses: this.options.compressResponses,
      listsInChunks: this.options.listsInChunks,
      policy: this.options.policy,
      nowMs: Date.now,
    };
    const dispatcher = new Dispatcher({
      scheme: this.registry,
      storeOf: (definition) => this.stores.find(cacheName(definition)) ?? this.virtualStore(definition),
      parts,
      special: this.options.specialHandlers(access, accessControl),
      emulatedMinor,
    });
    const status = new StatusPages({
      startMs: Date.now() - process.uptime() * 1000,
      nowMs: Date.now,
      emulatedMinor,
      paths: () => system.paths,
      flags: this.options.flags ?? new Map(),
    });
    const discovery = new DiscoveryDocuments({ resources: catalog.resources, serverAddress: this.options.advertise });
    const openApi = new OpenApiDocuments({
      resources: catalog.resources,
      info: { title: 'Kubernetes', version: `v${apiRelease.major}.${apiRelease.minor}.${apiRelease.patch}` },
      build: (build) => this.pools.buildOpenApi(build),
    });
    catalog.listen((groups) => {
      discovery.update(catalog.resources, groups);
      openApi.update(catalog.resources, groups);
    });
    const system: SystemPaths = new SystemPaths({
      discovery,
      openApi,
      health: this.health,
      metricsText: () => this.options.metrics.text(),
      healthMetricsText: () => this.options.metrics.healthText(),
      emulatedMinor,
      groups: () => catalog.groups,
      groupVersions: () => catalog.groupVersions,
      openIdDocument: accessControl.serviceAccounts.openIdDocument,
      pages: [
        status,
        ...(this.profiling === undefined ? [] : [this.profiling]),
        ...(flowControl === undefined ? [] : [new FlowControlPages(flowControl.controller)]),
        ...(this.options.logDir === undefined ? [] : [new LogPages(this.options.logDir)]),
      ],
    });
    const chain = filterChain({
      metrics: this.options.metrics,
      logger: this.options.logger,
      accessControl,
      limits: this.options.limits,
      bodies: new BodyBudget(),
      fairShares:
        flowControl === undefined
          ? undefined
          : { controller: flowControl.controller, sizes: flowControl, unread: new UnreadAnswers() },
      apiPage: this.options.apiPage,
      audit: this.options.audit,
      stopped: () => this.stopSequence.refusing,
      onError: this.options.onError,
    });
    return chainHandlers(chain, (context) =>
      context.info.isResource && catalog.groupVersions.has(groupVersionOf(context))
        ? dispatcher.dispatch(context)
        : system.answer(context),
    );
  }

  /** Virtual types have no cache; their handlers touch the definition alone. */
  private virtualStore(definition: AnyResource): ResourceStore {
    return {
      definition,
      scheme: this.registry,
      groupResource: { group: definition.group, resource: definition.resource },
      groupKind: { group: definition.group, kind: definition.kind },
    } as unknown as ResourceStore;
  }

  private addHealthChecks(): void {
    this.health.add({ name: 'ping', check: () => undefined });
    this.health.add({ name: 'log', check: () => this.options.logger.assertWritten() });
    this.health.add({ name: 'etcd', check: () => this.stores.ping(2000) });
    const { assertWritable } = this.stores;
    // Not for `/livez`: a restart makes no room on a disk, and would end reads and watches that work.
    if (assertWritable !== undefined)
      this.health.add({ name: 'store-writable', readinessOnly: true, check: assertWritable });
    this.health.add({
      name: 'informer-sync',
      readinessOnly: true,
      check: () => this.assert(this.stores.ready, 'the watch cache is loading'),
    });
  }

  private assert(holds: boolean, reason: string): void {
    if (!holds) throw new HealthProblem(reason);
  }

  /**
   * Loads the cache, then listens; returns the port. Requests wait until `beforeServing`, which may write, is done;
   * those for health do not.
   */
  async start(beforeServing: (port: number) => Promise<void> = async () => undefined): Promise<number> {
    // The last of the list, as operators know it.
    this.health.add({
      name: 'shutdown',
      readinessOnly: true,
      check: () => this.assert(!this.stopSequence.announced, 'process is shutting down'),
    });
    await this.profiling?.start();
    await this.stores.start();
    this.flowControl?.start();
    let open!: () => void;
    this.opening = new Promise((resolve) => {
      open = resolve;
    });
    const port = await this.listener.listen();
    await beforeServing(port);
    this.opening = undefined;
    open();
    return port;
  }

  /** Tells load balancers and clients that the server is about to stop: the shutdown delay begins. */
  announceStop(): void {
    this.stopSequence.announce();
  }

  /**
   * Goes on serving for the shutdown delay, but not ready; then ends watches and finishes what is under way. The stores
   * are the caller's to close.
   */
  async stop(): Promise<void> {
    await this.stopSequence.run();
    this.profiling?.stop();
    this.flowControl?.stop();
    await this.stores.stop();
    await this.pools.close();
  }

  private async requestsOver(): Promise<void> {
    await this.inFlight.short.over();
    await this.inFlight.long.over();
  }

  /** The object API for programs of this process, as `user`. Calls wait while the server begins to serve. */
  localClient(user: UserInfo, options: LocalClientOptions = {}): Client {
    return new LocalClient(user, (exchange) => this.handle(exchange, {}), options);
  }

  /**
   * What informers of this process follow, as `user`: the caches' own objects. `report` is told why one cannot follow
   * what it is to follow; it tries again.
   */
  localSources(user: UserInfo, report: (error: unknown) => void): ObjectSources {
    return new CacheSources({ scheme: this.registry, stores: this.stores, user, authorizer: this.authorizer, report });
  }

  private async handle(exchange: Exchange, body: RequestBody): Promise<void> {
    const { path, query: text } = requestTarget(exchange.url);
    const query = text === '' ? '' : new URLSearchParams(text);
    const info = parseRequestInfo(exchange.method, path, watchRequested(query));
    const context = new RequestContext(exchange, info, query, body, auditIdOf(exchange), performance.now());
    if (this.rates !== undefined && exchange.local === undefined && isLongRunning(info))
      context.rate = this.rates.of(exchange.request);
    try {
      if (this.opening !== undefined && !isHealthPath(path)) await this.opening;
      await (isLongRunning(info) ? this.inFlight.long : this.inFlight.short).track(this.handler(context));
    } catch (error) {
      // The chain answers errors itself: this is one of its own.
      this.options.onError(error, path);
      exchange.destroy();
    }
  }
}

function groupVersionOf(context: RequestContext): string {
  const { group, version } = context.info;
  return group === '' ? version : `${group}/${version}`;
}

/** The query asks for a watch: with every value but two, as stock servers read booleans. */
function watchRequested(query: URLSearchParams | ''): boolean {
  const value = query === '' ? null : query.get('watch');
  return value !== null && !/^(false|0)$/i.test(value);
}
