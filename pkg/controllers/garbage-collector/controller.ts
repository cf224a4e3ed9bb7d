import { isConflict, unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { CachedDiscovery } from '../../client/discovery/cached-discovery.ts';
import type { Client, DeleteOptions } from '../../client/rest/client.ts';
import { metadataOf } from '../../client/rest/partial-metadata.ts';
import { ExponentialBackoff } from '../../client/workqueue/rate-limiter.ts';
import type { Handler } from '../../client/workqueue/run-workers.ts';
import { WorkQueue } from '../../client/workqueue/work-queue.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { attemptToDelete } from './attempt-to-delete.ts';
import { attemptToOrphan } from './attempt-to-orphan.ts';
import { UnknownKind } from './classify-owners.ts';
import type { CollectorSteps } from './collector-steps.ts';
import { FollowedResources } from './followed-resources.ts';
import { identityOfOwner, type GraphNode } from './graph-node.ts';
import { OwnerGraph } from './owner-graph.ts';

const NAME = 'garbage-collector-controller';

export const garbageCollectorController: ControllerDescriptor = {
  name: NAME,
  account: 'generic-garbage-collector',
  resources: [],
  create: (context, { workers, garbageCollector }) =>
    garbageCollector.enabled ? new GarbageCollector(context, workers.garbageCollector) : undefined,
};

const BACKOFF_MS = { base: 5, max: 1_000_000 } as const;
/** So many failures in a row of one object are reported; earlier ones are those of a graph that lags behind. */
const QUIET_FAILURES = 3;

/**
 * Deletes objects whose owners are gone. The graph of all objects is kept by informers; workers decide by it, and by
 * what is stored wherever a wrong guess could delete an object.
 */
class GarbageCollector implements Controller {
  readonly name = NAME;
  private readonly context: ControllerContext;
  private readonly workers: number;
  private readonly graph: OwnerGraph;
  private readonly followed: FollowedResources;
  private readonly deletes: WorkQueue;
  private readonly orphans: WorkQueue;
  private readonly steps: CollectorSteps;
  private working: Promise<unknown> | undefined;

  constructor(context: ControllerContext, workers: number) {
    const { client, clock, sources, informers, onError } = context;
    this.context = context;
    this.workers = workers;
    this.deletes = this.queue('garbage_collector_attempt_to_delete');
    this.orphans = this.queue('garbage_collector_attempt_to_orphan');
    const recorder = context.recorder(NAME);
    this.graph = new OwnerGraph({
      attemptToDelete: (uid) => this.deletes.add(uid),
      attemptToOrphan: (uid) => this.orphans.add(uid),
      invalidNamespace: ({ identity }, reference) => {
        const { apiVersion, kind, namespace, name, uid } = identityOfOwner(reference, identity.namespace);
        const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
        const note = `ownerRef ${owner} does not exist in namespace "${namespace}"`;
        recorder.event({ ...identity }, { type: 'Warning', reason: 'OwnerRefInvalidNamespace', note });
      },
    });
    const discovery = new CachedDiscovery(client, { clock });
    const syncErrors = context.metrics.counter({
      name: 'garbagecollector_controller_resources_sync_error_total',
      help: 'Times that the resources of the server, or the objects of some, could not be read.',
    });
    this.followed = new FollowedResources({
      sources,
      informers,
      discovery,
      clock,
      handlerOf: (resource) => ({
        onAdd: (object) => this.graph.put(resource, object),
        onUpdate: (old, object) => this.graph.put(resource, object, old),
        onDelete: (object) => this.graph.remove(object),
      }),
      onError: (error) => onError(error, NAME),
      onSyncFailed: () => syncErrors.increment(),
    });
    this.steps = collectorSteps(client, discovery, (node) => this.known(node));
  }

  async start(): Promise<void> {
    await this.followed.start();
    if (this.deletes.shuttingDown) throw new Error(`${NAME}: stopped before it saw all objects`);
    this.working ??= Promise.all([
      this.run(this.deletes, (node) => attemptToDelete(node, this.graph, this.steps)),
      this.run(this.orphans, (node) => attemptToOrphan(node, this.steps)),
    ]);
  }

  async settled(): Promise<void> {
    await Promise.all([this.deletes.idle(), this.orphans.idle()]);
  }

  async stop(): Promise<void> {
    this.deletes.shutdown();
    this.orphans.shutdown();
    await this.followed.stop();
    await this.working;
  }

  healthy(): boolean {
    return this.working !== undefined && !this.deletes.shuttingDown;
  }

  private run(queue: WorkQueue, work: (node: GraphNode) => Promise<number | void>): Promise<void> {
    const handler: Handler = async (uid) => {
      // A resource that has just been found may have dependents that the graph does not show yet.
      await this.followed.ready;
      const node = this.graph.node(uid);
      return node === undefined ? undefined : work(node);
    };
    return queue.run(this.workers, handler, {
      onError: (error, uid) => {
        if (queue.numRequeues(uid) !== QUIET_FAILURES || error instanceof UnknownKind) return;
        const { kind, namespace, name } = this.graph.node(uid)?.identity ?? {};
        this.context.onError(error, `${NAME} ${kind} ${namespace}/${name}`);
      },
    });
  }

  private known({ resource, identity: { namespace, name, uid } }: GraphNode): ReturnType<CollectorSteps['known']> {
    if (resource === undefined) return undefined;
    const object = this.followed.known(resource, namespace, name);
    return object?.metadata.uid === uid ? object : undefined;
  }

  private queue(name: string): WorkQueue {
    const { clock, queueMetrics: metrics } = this.context;
    const rateLimiter = new ExponentialBackoff(BACKOFF_MS.base, BACKOFF_MS.max);
    return new WorkQueue({ name, clock, rateLimiter, ...(metrics === undefined ? {} : { metrics }) });
  }
}

function collectorSteps(client: Client, discovery: CachedDiscovery, known: CollectorSteps['known']): CollectorSteps {
  const read: CollectorSteps['read'] = (resource, { namespace, name }) =>
    unlessNotFound(client.get(metadataOf(resource), resource.namespaced ? { namespace, name } : { name }));
  return {
    known,
    resourceOf: (apiVersion, kind) => discovery.forKind(apiVersion, kind),
    read,
    async delete(resource, { metadata }, propagationPolicy) {
      const { namespace = '', name = '', uid, resourceVersion, ownerReferences } = metadata;
      const remove = (preconditions: DeleteOptions['preconditions']): Promise<void> =>
        client.delete(resource, { namespace, name }, { propagationPolicy: propagationPolicy!, preconditions });
      try {
        await remove({ uid: uid!, resourceVersion: resourceVersion! });
      } catch (error) {
        if (!isConflict(error)) throw error;
        const stored = (await read(resource, { namespace, name }))?.metadata;
        if (stored === undefined) return;
        if (stored.uid !== uid || !deepEqual(stored.ownerReferences, ownerReferences)) throw error;
        // Others write what does not concern its owners, such as a status: they must not keep it alive.
        await remove({ uid: uid! });
      }
    },
    patch(resource, { metadata }, changes) {
      const { namespace = '', name = '', uid, resourceVersion } = metadata;
      const patch = { metadata: { uid, resourceVersion, ...changes } };
      return client.patch(metadataOf(resource), { namespace, name }, 'merge', patch);
    },
  };
}
