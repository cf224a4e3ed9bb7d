import { nodes, pods } from '../../api/core/tokens.ts';
import { isNotFound, unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { podCondition } from '../owned/pod-state.ts';
import { QueueController } from '../queue-controller.ts';
import { collectPods, type FailureCondition } from './reconcile.ts';

export const podGcController: ControllerDescriptor = {
  name: 'pod-garbage-collector-controller',
  account: 'pod-garbage-collector',
  resources: [pods, nodes],
  create: (context, { podGc }) => createController(context, podGc.terminatedPodsMax),
};

const PERIOD_MS = 20_000;
/** A node may come back under its name, as after a restart of what runs it. */
const QUARANTINE_MS = 40_000;
const ALL = 'pods';

/** Deletes pods that no other program deletes: too many that have ended, and those whose node is gone. */
function createController(context: ControllerContext, terminatedPodsMax: number): Controller {
  const { client, informers, clock } = context;
  const podInformer = informers.informer(pods);
  const nodeInformer = informers.informer(nodes);
  const labels = ['namespace', 'reason'] as const;
  const deletions = context.metrics.counter({
    name: 'pod_gc_collector_force_delete_pods_total',
    help: 'Pods that were deleted by force.',
    labels,
  });
  const failures = context.metrics.counter({
    name: 'pod_gc_collector_force_delete_pod_errors_total',
    help: 'Pods whose deletion by force failed.',
    labels,
  });
  /** Since when a node is absent that pods are on. */
  const absentSince = new Map<string, number>();
  const isGone = async (name: string): Promise<boolean> => {
    const sinceMs = absentSince.get(name) ?? clock.steadyMs();
    absentSince.set(name, sinceMs);
    if (clock.steadyMs() - sinceMs < QUARANTINE_MS) return false;
    return (await unlessNotFound(client.get(nodes, { name }))) === undefined;
  };
  const deletePod = async (pod: Pod, condition?: FailureCondition): Promise<void> => {
    const { metadata, status } = pod;
    const name = { namespace: metadata.namespace!, name: metadata.name! };
    try {
      if (status.phase !== 'Succeeded' && status.phase !== 'Failed') {
        const conditions = condition === undefined ? {} : { conditions: [withKnownTime(condition, pod)] };
        const { generation: observedGeneration } = metadata;
        const patch = {
          metadata: { uid: metadata.uid },
          status: { phase: 'Failed', observedGeneration, ...conditions },
        };
        await client.patch(pods, name, 'strategic', patch, { subresource: 'status' });
      }
      await client.delete(pods, name, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid! } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  const collect = async (): Promise<number> => {
    const known = new Map(nodeInformer.lister.list().map((node) => [node.metadata.name!, node]));
    const used = new Set(podInformer.lister.list().map(({ spec }) => spec.nodeName ?? ''));
    for (const name of absentSince.keys()) if (known.has(name) || !used.has(name)) absentSince.delete(name);
    await collectPods({
      pods: podInformer.lister.list(),
      nodes: known,
      terminatedPodsMax,
      isGone,
      deletePod,
      observe: ({ metadata }, reason, isDeleted) =>
        (isDeleted ? deletions : failures).increment({ namespace: metadata.namespace!, reason }),
      now: () => formatTime(new Date(clock.wallMs())),
    });
    return PERIOD_MS;
  };
  const controller = new QueueController(context, {
    name: 'podgc',
    workers: 1,
    // A pod that cannot be deleted is tried again in the next round.
    reconcile: () =>
      collect().catch((error: unknown) => {
        context.onError(error, 'podgc');
        return PERIOD_MS;
      }),
    firstKeys: [ALL],
  });
  controller.follow(podInformer, () => []);
  controller.follow(nodeInformer, () => []);
  return controller;
}

/** The condition; one that the pod has already keeps the time since when it holds. */
function withKnownTime(condition: FailureCondition, pod: Pod): FailureCondition {
  const observedGeneration = pod.metadata.generation;
  const known = podCondition(pod, condition.type);
  const lastTransitionTime =
    known?.status === condition.status ? known.lastTransitionTime : condition.lastTransitionTime;
  return { ...condition, observedGeneration, lastTransitionTime };
}
