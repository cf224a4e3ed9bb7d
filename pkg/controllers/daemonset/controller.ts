import { controllerRevisions, daemonSets } from '../../api/apps/tokens.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { nodes, pods } from '../../api/core/tokens.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import { checkCanAdopt, claimObjects } from '../../client/reconcile/adoption.ts';
import { controllerOf, controllerReference, refersTo } from '../../client/reconcile/owner-references.ts';
import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { OwnedRevisions } from '../history/owned-revisions.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { PodControl, podPrefix } from '../owned/pod-control.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { QueueController } from '../queue-controller.ts';
import { daemonTemplate, onNode } from './daemon-pod.ts';
import { FailedPodsBackoff } from './failed-pods-backoff.ts';
import { reconcile } from './reconcile.ts';
import { nodeWishes } from './should-run.ts';

const NAME = 'daemonset-controller';
const ACCOUNT = 'daemon-set-controller';

export const daemonSetController: ControllerDescriptor = {
  name: NAME,
  account: ACCOUNT,
  resources: [daemonSets, pods, nodes, controllerRevisions],
  create: (context, { workers }) => controllerOfDaemonSets(context, workers.daemonSet),
};

/** Keeps one pod of each set on every node that the set wants. */
function controllerOfDaemonSets(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const sets = informers.informer(daemonSets);
  const podInformer = informers.informer(pods);
  const nodeInformer = informers.informer(nodes);
  const revisions = new OwnedRevisions(context);
  const podsByOwner = new ObjectsByController(podInformer);
  const writtenPods = new WrittenObjects<Pod>(podInformer, clock);
  const recorder = context.recorder(NAME);
  const podControl = new PodControl(client, recorder, writtenPods);
  const backoff = new FailedPodsBackoff();

  const reconcileSet = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = splitKey(key);
    const set = sets.lister.get({ namespace, name });
    if (set === undefined) return undefined;
    const uid = set.metadata.uid!;
    const podOwner = { object: set, reference: controllerReference(daemonSets, set) };
    const claim = {
      client,
      ownerResource: daemonSets,
      owner: set,
      selector: labelSelectorAsSelector(set.spec.selector),
    };
    const canAdopt = (): Promise<void> => checkCanAdopt(client, daemonSets, set);
    const shownPods = (): readonly Pod[] => writtenPods.view(uid, podsByOwner.ownedBy(uid));
    return reconcile(set, {
      nowMs: () => clock.wallMs(),
      nodes: () => nodeInformer.lister.list(),
      claimPods: async () => {
        await podControl.findUnknown(uid);
        return claimObjects([...shownPods(), ...podsByOwner.orphans(namespace)], {
          ...claim,
          canAdopt,
          resource: pods,
        });
      },
      ...revisions.stepsOf({ ...claim, canAdopt }),
      createPod: async (node, hash) => {
        const template = daemonTemplate(set, hash);
        const spec = { ...template.spec!, affinity: onNode(template.spec!.affinity, node) };
        const pod = { template: { ...template, spec }, generateName: podPrefix(name) };
        await podControl.create(podOwner, pod);
      },
      deletePod: (pod) => podControl.delete(podOwner, pod),
      relabelPod: async (pod, labels) => {
        await client.patch(pods, { namespace, name: pod.metadata.name! }, 'strategic', {
          metadata: { uid: pod.metadata.uid, labels },
        });
      },
      backoffMs: (node) => backoff.next(uid, set.status.observedGeneration ?? 0, node, clock.steadyMs()),
      event: (type, reason, note) => recorder.event(set, { type, reason, note }),
      updateStatus: (changed) => client.update(daemonSets, changed, { subresource: 'status' }),
    });
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    reconcile: reconcileSet,
  });
  const ownerKeys = (object: ApiObject): readonly string[] => {
    const ref = controllerOf(object);
    if (ref !== undefined) return refersTo(ref, daemonSets) ? [`${object.metadata.namespace}/${ref.name}`] : [];
    return sets.lister
      .list({ namespace: object.metadata.namespace ?? '' })
      .filter((set) => selects(set, object))
      .map(keyOf);
  };
  /** Sets that want something else of a node than before. */
  const affected = (old: Node | undefined, current: Node | undefined): readonly string[] =>
    sets.lister
      .list()
      .filter((set) => {
        const wishOf = nodeWishes(set);
        const wish = (node: Node | undefined): object => (node === undefined ? {} : wishOf(node));
        return !deepEqual(wish(old), wish(current));
      })
      .map(keyOf);
  const enqueue = (keys: readonly string[]): void => keys.forEach((key) => controller.queue.add(key));
  controller.follow(sets, (set) => [keyOf(set)]);
  controller.handle(sets, {
    onDelete: ({ metadata }) => {
      podControl.forget(metadata.uid!);
      revisions.forget(metadata.uid!);
      backoff.forget(metadata.uid!);
    },
  });
  controller.follow(podInformer, ownerKeys);
  controller.follow(revisions.informer, ownerKeys);
  controller.handle(nodeInformer, {
    // Every set is reconciled once at the beginning.
    onAdd: (node, isInInitialList) => enqueue(isInInitialList ? [] : affected(undefined, node)),
    onUpdate: (old, current) => {
      const isSame =
        deepEqual(old.metadata.labels, current.metadata.labels) && deepEqual(old.spec.taints, current.spec.taints);
      if (!isSame) enqueue(affected(old, current));
    },
    onDelete: (node) => enqueue(affected(node, undefined)),
  });
  return controller;
}

function selects({ spec }: DaemonSet, { metadata }: ApiObject): boolean {
  const selector = labelSelectorAsSelector(spec.selector);
  return !selector.empty && selector.matches(metadata.labels);
}
