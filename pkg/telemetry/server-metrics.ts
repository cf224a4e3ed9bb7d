import { Registry } from 'prom-client';
import type { ResourceRegistry } from '../api/resource-registry.ts';
import type { AuditObserver } from '../audit/audit-observer.ts';
import type { AuthenticationObserver } from '../authentication/authentication-observer.ts';
import type { AuthorizationObserver } from '../authorization/authorization-observer.ts';
import type { LeaderElectionMetrics } from '../client/leader-election/leader-election-metrics.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import type { AuthorizationResult, RequestMetrics } from '../server/filters/record-metrics.ts';
import type { FlowController, FlowControlObserver } from '../server/flow-control/flow-controller.ts';
import type { TimedFilter } from '../server/filters/timed.ts';
import type { ControllerMetrics } from '../controllers/controller-metrics.ts';
import type { RequestContext } from '../server/request/request-context.ts';
import type { WatchSessions } from '../server/watches/watch-sessions.ts';
import type { Cacher } from '../storage/cacher/cacher.ts';
import type { DataKeyObserver } from '../storage/encryption/kms/data-key-observer.ts';
import type { ObservedStoreOptions } from '../storage/observed-store.ts';
import type { StoreSize } from '../storage/store.ts';
import type { WorkerPools } from '../server/worker-pools.ts';
import { AdmissionSeries } from './metrics/admission-series.ts';
import {
  allocatorFamilies,
  nodePortFamilies,
  type MeasuredPorts,
  type MeasuredRange,
} from './metrics/allocator-families.ts';
import { AuditSeries } from './metrics/audit-series.ts';
import { AuthenticationSeries } from './metrics/authentication-series.ts';
import { AuthorizationSeries } from './metrics/authorization-series.ts';
import { cacherFamilies } from './metrics/cacher-families.ts';
import { ControllerSeries } from './metrics/controller-series.ts';
import { DataKeySeries } from './metrics/data-key-series.ts';
import { EventLoopDelay } from './metrics/event-loop-delay.ts';
import { FlowControlSeries } from './metrics/flow-control-series.ts';
import { HealthSeries } from './metrics/health-series.ts';
import { registerFamilies, type MetricFamily, type Sample } from './metrics/metric-family.ts';
import { programFamilies, type ProgramVersions } from './metrics/program-families.ts';
import { requestFamilies } from './metrics/request-families.ts';
import { RequestSeries } from './metrics/request-series.ts';
import { LeaderElectionSeries } from './metrics/leader-election-series.ts';
import { StoreSeries } from './metrics/store-series.ts';
import { WorkQueueSeries } from './metrics/work-queue-series.ts';
import { processMetrics } from './process-metrics.ts';
import { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

export interface ServerMetricsOptions extends ProgramVersions {
  /** The served resources: the only source of resource labels. */
  readonly registry: ResourceRegistry;
  /** `--store-count-metric-poll-period` in milliseconds; 0 leaves out the counts of stored objects. */
  readonly storeCountPollMs: number;
}

/** The parts of a running server whose figures are read at each scrape. */
export interface MeasuredServer {
  readonly stores: { readonly cachers: readonly Cacher[] };
  readonly pools: Pick<WorkerPools, 'counts'>;
  readonly watches: Pick<WatchSessions, 'size'>;
  /** Absent where there is no priority and fairness. */
  readonly flowController?: FlowController | undefined;
  /** Read at each scrape. */
  readonly storeSizes: () => Promise<readonly StoreSize[]>;
  /** Of each range of cluster IPs. */
  readonly clusterIps: () => readonly MeasuredRange[];
  readonly nodePorts: MeasuredPorts;
}

/**
 * The metrics of one API server, under the names, types and labels that dashboards for stock servers use where both
 * measure the same thing, and under `binnacle_*` where not. Has a separate registry: two servers in one process do
 * not mix.
 *
 * It is created before the server, whose requests it counts, and gets the server by `attach`.
 */
export class ServerMetrics implements RequestMetrics {
  private readonly registry = new Registry();
  private readonly process = processMetrics();
  private readonly healthRegistry = new Registry();
  private readonly health = new HealthSeries();
  private readonly requests: RequestSeries;
  private readonly certificates = new DeprecatedCertificates();
  private readonly audit = new AuditSeries(this.certificates);
  private readonly authentication = new AuthenticationSeries(this.certificates);
  private readonly authorization = new AuthorizationSeries(this.certificates);
  private readonly admission = new AdmissionSeries(this.certificates);
  private readonly flows = new FlowControlSeries();
  private readonly dataKeys = new DataKeySeries();
  private readonly workQueues = new WorkQueueSeries();
  private readonly elections = new LeaderElectionSeries();
  private readonly controllers = new ControllerSeries((family) => registerFamilies(this.registry, [family]));
  private readonly store: StoreSeries;
  private readonly eventLoop = new EventLoopDelay();
  private server: MeasuredServer | undefined;

  constructor(options: ServerMetricsOptions) {
    this.requests = new RequestSeries(options.registry);
    this.store = new StoreSeries(options.registry);
    registerFamilies(this.registry, [
      ...requestFamilies(this.requests),
      ...this.audit.families(),
      ...this.authentication.families(),
      ...this.authorization.families(),
      ...this.admission.families(),
      ...this.flows.families(() => this.server?.flowController),
      ...this.dataKeys.families(),
      ...this.workQueues.families(),
      ...this.elections.families(),
      ...this.store.families(async () => (await this.server?.storeSizes()) ?? []),
      ...cacherFamilies({
        resources: () => options.registry.resources,
        countObjects: options.storeCountPollMs > 0,
        cachers: () => this.server?.stores.cachers ?? [],
      }),
      ...allocatorFamilies(() => this.server?.clusterIps() ?? []),
      ...nodePortFamilies(() => this.server?.nodePorts),
      ...this.eventLoop.families(),
      ...programFamilies(options),
      ...this.serverFamilies(),
    ]);
    registerFamilies(this.healthRegistry, this.health.families());
  }

  /** For opening the store: times its calls. */
  get storeObserver(): ObservedStoreOptions {
    return this.store.observer;
  }

  /** For encryption at rest: counts keys of values. */
  get dataKeyObserver(): DataKeyObserver {
    return this.dataKeys;
  }

  /** For auditing: counts events and losses. */
  get auditObserver(): AuditObserver {
    return this.audit;
  }

  /** For building the authenticators: counts their results. */
  get authenticationObserver(): AuthenticationObserver {
    return this.authentication;
  }

  /** For building the authorizers: times the graph of nodes. */
  get authorizationObserver(): AuthorizationObserver {
    return this.authorization;
  }

  /** For building admission: times the plugins. */
  get admissionObserver(): AdmissionSeries {
    return this.admission;
  }

  /** For the queues of controllers. */
  get queueMetrics(): QueueMetrics {
    return this.workQueues;
  }

  /** For what controllers measure. */
  get controllerMetrics(): ControllerMetrics {
    return this.controllers;
  }

  /** For elections of leaders. */
  get electionMetrics(): LeaderElectionMetrics {
    return this.elections;
  }

  /** For priority and fairness: times and counts by level and schema. */
  get flowObserver(): FlowControlObserver {
    return this.flows;
  }

  /** Shows the figures of `server` from now on. */
  attach(server: MeasuredServer): void {
    this.server = server;
  }

  started(context: RequestContext): void {
    this.requests.started(context);
  }

  authorized(result: AuthorizationResult, seconds: number): void {
    this.authorization.decided(result, seconds);
  }

  finished(context: RequestContext, seconds: number): void {
    this.requests.finished(context, seconds);
  }

  filterPassed(filter: TimedFilter, seconds: number): void {
    this.requests.filters[filter].observe(seconds);
  }

  handshakeFailed(): void {
    this.requests.handshakesFailed++;
  }

  healthChecked(page: string, check: string, isWell: boolean): void {
    this.health.checked(page, check, isWell);
  }

  /** The results of health checks, in the Prometheus text format. */
  async healthText(): Promise<{ contentType: string; body: string }> {
    return { contentType: this.healthRegistry.contentType, body: await this.healthRegistry.metrics() };
  }

  /**
   * Everything in the Prometheus text format. Yields after each metric: a large server has tens of thousands of lines.
   */
  async text(): Promise<{ contentType: string; body: string }> {
    const parts: string[] = [];
    for (const registry of [this.registry, this.process]) {
      for (const { name } of registry.getMetricsAsArray()) {
        parts.push(await registry.getSingleMetricAsString(name));
        await new Promise(setImmediate);
      }
    }
    return { contentType: this.registry.contentType, body: `${parts.join('\n')}\n` };
  }

  /** Stops timers. */
  close(): void {
    this.eventLoop.stop();
    this.server = undefined;
  }

  private serverFamilies(): readonly MetricFamily[] {
    const of = (samples: (server: MeasuredServer) => Sample[]) => (): Sample[] =>
      this.server === undefined ? [] : samples(this.server);
    return [
      {
        name: 'binnacle_open_watches',
        type: 'gauge',
        help: 'Watches that clients have open.',
        samples: of(({ watches }) => [{ labels: {}, value: watches.size }]),
      },
      {
        name: 'binnacle_pool_tasks_total',
        type: 'counter',
        help: 'Tasks that ran on worker threads, or on the main loop where they were small.',
        samples: of(({ pools: { counts } }) => [
          { labels: { place: 'inline', pool: 'patch' }, value: counts.patchInline },
          { labels: { place: 'thread', pool: 'patch' }, value: counts.patchPool },
          { labels: { place: 'thread', pool: 'codec' }, value: counts.codecPool },
        ]),
      },
    ];
  }
}
