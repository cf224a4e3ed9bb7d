import { Registry } from 'prom-client';
import type { TokenCacheObserver } from '../authentication/token-cache/token-cache.ts';
import type { LeaderElectionMetrics } from '../client/leader-election/leader-election-metrics.ts';
import type { RequestObserver } from '../client/rest/request-observer.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import type { ControllerMetrics } from '../controllers/controller-metrics.ts';
import { ControllerSeries } from './metrics/controller-series.ts';
import { LeaderElectionSeries } from './metrics/leader-election-series.ts';
import { registerFamilies } from './metrics/metric-family.ts';
import { programFamilies, type ProgramVersions } from './metrics/program-families.ts';
import { RestClientSeries } from './metrics/rest-client-series.ts';
import { TokenCacheSeries } from './metrics/token-cache-series.ts';
import { WorkQueueSeries } from './metrics/work-queue-series.ts';
import { processMetrics } from './process-metrics.ts';

/**
 * The metrics of one program that is a client of API servers, such as a controller manager, under the names of the Go
 * client library: its requests, its queues, whether it leads, and those of its process. Has a registry of its own.
 */
export class ClientMetrics {
  private readonly registry = new Registry();
  private readonly process = processMetrics();
  private readonly requests = new RestClientSeries();
  private readonly queues = new WorkQueueSeries();
  private readonly elections = new LeaderElectionSeries();
  private readonly tokens = new TokenCacheSeries();
  private readonly controllers = new ControllerSeries((family) => registerFamilies(this.registry, [family]));

  constructor(versions: ProgramVersions = {}) {
    registerFamilies(this.registry, [
      ...programFamilies(versions),
      ...this.requests.families(),
      ...this.queues.families(),
      ...this.elections.families(),
      ...this.tokens.families(),
    ]);
  }

  /** For `RestClient`. */
  get requestObserver(): RequestObserver {
    return this.requests;
  }

  /** For the queues of controllers. */
  get queueMetrics(): QueueMetrics {
    return this.queues;
  }

  /** For what controllers measure. */
  get controllerMetrics(): ControllerMetrics {
    return this.controllers;
  }

  /** For elections of leaders. */
  get electionMetrics(): LeaderElectionMetrics {
    return this.elections;
  }

  /** For the reviews of tokens by which readers of its ports are known. */
  get tokenCacheObserver(): TokenCacheObserver {
    return this.tokens;
  }

  /** Everything in the Prometheus text format. */
  async text(): Promise<{ contentType: string; body: string }> {
    const own = await this.registry.metrics();
    return { contentType: this.registry.contentType, body: `${own}\n${await this.process.metrics()}` };
  }
}
