import { FakeClock, settle } from '../apimachinery/clock-testing.ts';
import { reflectorSources } from '../client/informer/reflector.ts';
import { pods } from '../api/core/tokens.ts';
import { type Resource, resourceKey } from '../api/resource.ts';
import { ConnectionError } from '../client/rest/client.ts';
import { FakeClient } from '../client/testing/fake-client-testing.ts';
import { FakeCluster } from '../client/testing/fake-cluster-testing.ts';
import type { Controller } from './controller.ts';
import type { ControllerContext } from './controller-context.ts';
import { ControllerContexts } from './controller-contexts.ts';
import { RecordedMetrics } from './controller-metrics-testing.ts';

/** Two controllers that undo each other's work would never become idle. */
const ROUNDS_MAX = 1000;

/**
 * For tests: the context of controllers, over a fake cluster and real informers. Time advances with `clock`; before it
 * does, all calls, events, handlers and queues finish.
 */
export class ControllersFixture {
  readonly clock = new FakeClock(undefined, () => this.rest());
  readonly cluster = new FakeCluster(this.clock);
  readonly client = new FakeClient(this.cluster);
  readonly errors: string[] = [];
  readonly metrics = new RecordedMetrics();
  private readonly started: Controller[] = [];
  private readonly contexts: ControllerContexts;
  readonly context: ControllerContext;

  constructor() {
    const { client, clock, metrics } = this;
    const onError = (error: unknown, where: string): void =>
      void this.errors.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    const report = (error: unknown): void => onError(error, 'informers');
    const sources = reflectorSources(client, { clock, random: () => 0.5, report });
    this.contexts = new ControllerContexts({
      clientOf: () => client,
      sources,
      metrics,
      onError,
      clock,
      freezeObjects: true,
    });
    this.context = this.contexts.of('test');
  }

  /** The calls of controllers, without those of informers. */
  get requests(): ControllersFixture['cluster']['calls'] {
    return this.cluster.calls.filter(({ verb }) => verb !== 'list' && verb !== 'watch');
  }

  /** Starts a controller and the informers that it asked for. */
  async start(controller: Controller): Promise<void> {
    this.started.push(controller);
    this.contexts.startInformers();
    await controller.start();
    await this.clock.advance(0);
  }

  async stop(): Promise<void> {
    for (const controller of this.started) await controller.stop();
    await this.contexts.stop();
  }

  /** Resolves when nothing happens any more until time passes. */
  async rest(): Promise<void> {
    const seen = (): number => this.cluster.calls.length + this.cluster.revision;
    for (let round = 0, before = -1; before !== seen() && round < ROUNDS_MAX; round++) {
      before = seen();
      await settle();
      await settle();
    }
  }

  /**
   * The informer of a resource falls behind the others: it is shown no event until the function is called with which
   * this resolves.
   */
  async holdEvents(held: Resource): Promise<() => Promise<void>> {
    const { client, cluster } = this;
    const watch = client.watch.bind(client);
    let release!: () => void;
    const released = new Promise<void>((done) => (release = done));
    client.watch = (resource, options) => {
      const events = watch(resource, options);
      if (resourceKey(resource) !== resourceKey(held)) return events;
      return {
        async *[Symbol.asyncIterator]() {
          for await (const event of events) {
            await released;
            yield event;
          }
        },
      };
    };
    cluster.breakConnections();
    await this.clock.advance(2000);
    this.errors.length = 0;
    return async () => {
      client.watch = watch;
      release();
      await this.clock.advance(2000);
    };
  }

  /**
   * The server ends when it has stored the first pod, before it answers: connections break, and no watch shows the pod
   * until the returned function is called, which also forgets what was reported of that.
   */
  loseFirstPod(): () => void {
    const { client, cluster } = this;
    const store = client.create.bind(client);
    client.before = ({ verb }) => {
      if (verb === 'watch' && cluster.all(pods).length > 0) throw new ConnectionError('ECONNREFUSED');
    };
    client.create = async (resource, object, options) => {
      const isFirst = resource.resource === 'pods' && cluster.all(pods).length === 0;
      if (isFirst) cluster.breakConnections();
      const created = await store(resource, object, options);
      if (!isFirst) return created;
      throw new ConnectionError('ECONNRESET');
    };
    return () => {
      client.before = () => undefined;
      this.errors.length = 0;
    };
  }
}
