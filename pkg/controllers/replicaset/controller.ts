import { pods } from '../../api/core/tokens.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { checkCanAdopt, claimObjects } from '../../client/reconcile/adoption.ts';
import { controllerOf, controllerReference, refersTo } from '../../client/reconcile/owner-references.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { PodControl, podPrefix } from '../owned/pod-control.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { isActive, isTerminating } from '../owned/pod-state.ts';
import { QueueController } from '../queue-controller.ts';
import { deletionMetrics } from './metrics.ts';
import { podsToDelete } from './pods-to-delete.ts';
import { reconcile } from './reconcile.ts';
import { replicaSetOwner, replicationControllerOwner, type ReplicaOwner } from './replica-owner.ts';

export const replicaSetController: ControllerDescriptor = {
  name: 'replicaset-controller',
  account: 'replicaset-controller',
  resources: [replicaSetOwner.resource, pods],
  create: (context, { workers }) => controllerOfSets(context, replicaSetOwner, workers.replicaSet),
};

export const replicationControllerController: ControllerDescriptor = {
  name: 'replicationcontroller-controller',
  account: 'replication-controller',
  resources: [replicationControllerOwner.resource, pods],
  create: (context, { workers }) =>
    controllerOfSets(context, replicationControllerOwner, workers.replicationController),
};

/** Keeps as many pods as each set of a kind wants. */
function controllerOfSets<T extends ApiObject>(
  context: ControllerContext,
  owner: ReplicaOwner<T>,
  workers: number,
): Controller {
  const { client, informers, clock } = context;
  const sets = informers.informer(owner.resource);
  const podInformer = informers.informer(pods);
  const setsByOwner = new ObjectsByController(sets);
  const podsByOwner = new ObjectsByController(podInformer);
  const written = new WrittenObjects<Pod>(podInformer, clock);
  const recorder = context.recorder(owner.component);
  const podControl = new PodControl(client, recorder, written);
  const observeDeletion = deletionMetrics(context.metrics);

  /** Pods of all sets that the same owner has. A set without an owner has no related pods, not even its own. */
  const related = (object: T): readonly Pod[] => {
    const parent = controllerOf(object);
    const siblings = parent === undefined ? [] : setsByOwner.ownedBy(parent.uid);
    return siblings.flatMap(({ metadata }) => podsByOwner.ownedBy(metadata.uid!));
  };
  const reconcileSet = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = splitKey(key);
    const object = sets.lister.get({ namespace, name });
    if (object === undefined) return undefined;
    const uid = object.metadata.uid!;
    const podOwner = { object, reference: controllerReference(owner.resource, object) };
    const { selector, template } = owner.specOf(object);
    const owned = (): readonly Pod[] => written.view(uid, podsByOwner.ownedBy(uid));
    return reconcile(object, owner, {
      claimActive: async (set) => {
        await podControl.findUnknown(uid);
        // Pods that have ended or are being deleted are neither adopted nor released.
        return claimObjects([...owned(), ...podsByOwner.orphans(namespace)].filter(isActive), {
          client,
          ownerResource: owner.resource,
          owner: set,
          resource: pods,
          selector,
          canAdopt: () => checkCanAdopt(client, owner.resource, set),
        });
      },
      terminating: () => owned().filter((pod) => isTerminating(pod) && selector.matches(pod.metadata.labels)),
      choose: (candidates, count) => {
        const chosen = podsToDelete(candidates, related(object), count, clock.wallMs());
        observeDeletion(candidates, chosen, clock.wallMs());
        return chosen;
      },
      createPod: () => podControl.create(podOwner, { template, generateName: podPrefix(name) }),
      deletePod: (pod) => podControl.delete(podOwner, pod),
      writeStatus: (set) => client.update(owner.resource, set, { subresource: 'status' }),
      nowMs: () => clock.wallMs(),
      now: () => formatTime(new Date(clock.wallMs())),
    });
  };

  const controller = new QueueController(context, {
    name: owner.component,
    workers,
    reconcile: reconcileSet,
  });
  controller.follow(sets, (set) => [keyOf(set)]);
  controller.handle(sets, { onDelete: ({ metadata }) => podControl.forget(metadata.uid!) });
  controller.follow(podInformer, (pod) => {
    const ref = controllerOf(pod);
    if (ref !== undefined) return refersTo(ref, owner.resource) ? [`${pod.metadata.namespace}/${ref.name}`] : [];
    // Any set of its namespace may want it.
    return sets.lister
      .list({ namespace: pod.metadata.namespace ?? '' })
      .filter((set) => owner.specOf(set).selector.matches(pod.metadata.labels))
      .map(keyOf);
  });
  return controller;
}
