import { persistentVolumeClaims, pods, resourceQuotas, services } from '../../api/core/tokens.ts';
import { resourceKey } from '../../api/resource.ts';
import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import { quotaEvaluators } from '../../api/core/resource-quota/usage/evaluators.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';
import type { ControllerContext, ObjectHandler } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { BoundedNames } from './bounded-names.ts';
import { calculateUsage, isUncounted, type CountedResource } from './calculate-usage.ts';
import { ALWAYS_FOLLOWED, CountedObjects } from './counted-objects.ts';
import { reconcile } from './reconcile.ts';
import { recountInMs, recountTriggers } from './recount-triggers.ts';

const NAME = 'resourcequota-controller';

export const resourceQuotaController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [resourceQuotas, pods, services, persistentVolumeClaims],
  create: (context, { workers, resourceQuota }) =>
    createController(context, workers.resourceQuota, resourceQuota.resyncMs),
};

/**
 * Keeps the status of quotas: what all objects of their namespaces use, counted when a counted object goes or changes,
 * and after a period. Quotas whose status misses something have a queue of their own, since requests wait for them.
 */
function createController(context: ControllerContext, workers: number, resyncMs: number): Controller {
  const { client, informers, clock, sources, onError } = context;
  const evaluatorOf = quotaEvaluators(() => clock.wallMs());
  const quotas = informers.informer(resourceQuotas);
  const bounded = new BoundedNames();
  /** What the last count of a quota took. */
  const costs = new Map<string, number>();

  const work = async (key: string): Promise<void> => {
    await counted.ready();
    const quota = quotas.lister.get(splitKey(key));
    if (quota === undefined) return void costs.delete(key);
    const startMs = clock.steadyMs();
    await reconcile(quota, {
      calculate: (of) => calculateUsage(of, resources()).finally(() => costs.set(key, clock.steadyMs() - startMs)),
      writeStatus: (changed) => client.update(resourceQuotas, changed, { subresource: 'status' }),
    });
    if (resyncMs > 0) primary.queue.addAfter(key, resyncMs);
  };
  const primary = new QueueController(context, { name: 'resourcequota_primary', workers, reconcile: work });
  const priority = new QueueController(context, { name: 'resourcequota_priority', workers, reconcile: work });

  const enqueue = (quota: ResourceQuota): void =>
    (isUncounted(quota, resources()) ? priority : primary).queue.add(keyOf(quota));
  const triggers = (evaluator: QuotaEvaluator): ObjectHandler<ApiObject> =>
    recountTriggers(evaluator, {
      quotasIn: (namespace) => quotas.lister.list({ namespace }),
      recount(quota, after) {
        const key = keyOf(quota);
        primary.queue.addAfter(key, recountInMs(after, costs.get(key) ?? 0));
      },
    });

  const always = ALWAYS_FOLLOWED.map((resource): CountedResource => {
    const followed = informers.informer<ApiObject>(resource);
    const evaluator = evaluatorOf(resource)!;
    primary.handle(followed, triggers(evaluator));
    return { key: resourceKey(resource), evaluator, objects: (namespace) => followed.lister.list({ namespace }) };
  });
  const counted = new CountedObjects({
    client,
    clock,
    sources,
    informers,
    evaluatorOf,
    boundedNames: () => bounded.names(),
    handlerOf: triggers,
    onFound(evaluators) {
      for (const quota of quotas.lister.list()) {
        if (evaluators.some((evaluator) => namesOf(quota).some((name) => evaluator.counts(name)))) enqueue(quota);
      }
    },
    report: (error) => onError(error, NAME),
  });
  const resources = (): CountedResource[] => [...always, ...counted.resources()];

  const bounds = (quota: ResourceQuota, names: readonly string[]): void => {
    if (bounded.set(keyOf(quota), names)) counted.namesChanged();
  };
  primary.handle(quotas, {
    onAdd(quota) {
      bounds(quota, namesOf(quota));
      enqueue(quota);
    },
    onUpdate(old, quota) {
      const isChanged = !deepEqual(old.spec, quota.spec);
      if (isChanged) bounds(quota, namesOf(quota));
      if (isChanged || isUncounted(quota, resources())) enqueue(quota);
    },
    onDelete: (quota) => bounds(quota, []),
  });
  return together(primary, priority, () => counted.stop());
}

function namesOf({ spec }: ResourceQuota): string[] {
  return Object.keys(spec.hard ?? {});
}

/** Two queues as one controller; the first follows the objects for both. */
function together(primary: QueueController, priority: QueueController, stop: () => Promise<void>): Controller {
  return {
    name: NAME,
    async start() {
      await primary.start();
      await priority.start();
    },
    async settled() {
      await priority.settled();
      await primary.settled();
    },
    async stop() {
      await Promise.all([primary.stop(), priority.stop(), stop()]);
    },
    healthy: () => primary.healthy() && priority.healthy(),
  };
}
