import { namespaces, pods } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject, ObjectMeta } from '../../apimachinery/meta/object.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { CachedDiscovery } from '../../client/discovery/cached-discovery.ts';
import type { Client } from '../../client/rest/client.ts';
import { listPages } from '../../client/informer/list-pages.ts';
import { metadataOf } from '../../client/rest/partial-metadata.ts';
import { ExponentialBackoff } from '../../client/workqueue/rate-limiter.ts';
import type { Namespace } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import type { ContentSteps } from './delete-content.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'namespace-controller';

export const namespaceController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [namespaces],
  create: (context, { workers, namespace }) => createController(context, workers.namespace, namespace.resyncMs),
};

/** Younger than the time for which a deleted namespace stays, so that no resource is missed that has objects in it. */
const DISCOVERY_MS = 2000;
const PAGE = 500;
/** A failure that lasts, such as that of one group, is tried again at least this often. */
const BACKOFF_MS = { base: 5, max: 60_000 } as const;

/** Deletes the content of deleted namespaces, and then these. */
function createController(context: ControllerContext, workers: number, resyncMs: number): Controller {
  const { client, informers, clock } = context;
  const followed = informers.informer(namespaces);
  const discovery = new CachedDiscovery(client, { clock, maxAgeMs: DISCOVERY_MS });
  /** When each deletion was seen, by the steady clock: the times of server and host may differ by hours. */
  const seenMs = new Map<string, number>();
  const isDeleted = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;
  const reconcileNamespace = async (name: string): Promise<number | undefined> => {
    const known = followed.lister.get({ name });
    if (known === undefined || !isDeleted(known)) return undefined;
    const again = await reconcile({
      ...contentSteps(client, name, () => discovery.resources()),
      read: () => client.get(namespaces, { name }).catch(absent),
      writeStatus: (namespace) => client.update(namespaces, namespace, { subresource: 'status' }),
      finalize: async (namespace) => {
        await client.subresource(namespaces, { name }, 'finalize', { method: 'PUT', body: namespace }).catch(absent);
      },
      ageSeconds: () => (clock.steadyMs() - (seenMs.get(known.metadata.uid!) ?? clock.steadyMs())) / 1000,
      now: () => formatTime(new Date(clock.wallMs())),
    });
    return again ?? (resyncMs > 0 ? resyncMs : undefined);
  };
  const controller = new QueueController(context, {
    name: 'namespace',
    workers,
    reconcile: reconcileNamespace,
    rateLimiter: new ExponentialBackoff(BACKOFF_MS.base, BACKOFF_MS.max),
  });
  const add = (namespace: Namespace): void => {
    if (!isDeleted(namespace)) return;
    const { name = '', uid = '' } = namespace.metadata;
    if (!seenMs.has(uid)) seenMs.set(uid, clock.steadyMs());
    controller.queue.add(name);
  };
  controller.handle(followed, {
    onAdd: add,
    // Not after what this controller writes into the status.
    onUpdate(old, current) {
      if (!isDeleted(old) || !deepEqual(old.spec.finalizers, current.spec.finalizers)) add(current);
    },
    onDelete: ({ metadata }) => void seenMs.delete(metadata.uid!),
  });
  return controller;
}

function contentSteps(client: Client, namespace: string, discover: ContentSteps['discover']): ContentSteps {
  const remaining = async (resource: Resource): Promise<readonly ObjectMeta[]> => {
    const options = { resourceVersion: '', pageSize: PAGE, signal: new AbortController().signal };
    const { objects } = await listPages(client, metadataOf(resource), { namespace }, options);
    return objects.map(({ metadata }) => metadata);
  };
  const propagation = { propagationPolicy: 'Background' } as const;
  return {
    namespace,
    discover,
    remaining,
    async deleteAll(resource, each) {
      if (!each) return client.deleteCollection(resource, { namespace }, propagation);
      for (const { name = '' } of await remaining(resource))
        await client.delete(resource, { namespace, name }, propagation).catch(absent);
    },
    listPods: async () => (await client.list(pods, { namespace })).items,
  };
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
