import { controllerRevisions, statefulSets } from '../../api/apps/tokens.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import { checkCanAdopt, claimObjects } from '../../client/reconcile/adoption.ts';
import { controllerOf, refersTo } from '../../client/reconcile/owner-references.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { OwnedRevisions } from '../history/owned-revisions.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { QueueController } from '../queue-controller.ts';
import { isMember, parsePodName } from './identity.ts';
import { showAvailability } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { StatefulPodControl } from './stateful-pod-control.ts';

const NAME = 'statefulset-controller';

export const statefulSetController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [statefulSets, pods, persistentVolumeClaims, controllerRevisions],
  create: (context, { workers }) => controllerOfStatefulSets(context, workers.statefulSet),
};

/** Gives each pod of a set a name, a number and claims of its own, in order. */
function controllerOfStatefulSets(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const sets = informers.informer(statefulSets);
  const podInformer = informers.informer(pods);
  const claims = informers.informer(persistentVolumeClaims);
  const revisions = new OwnedRevisions(context);
  const podsByOwner = new ObjectsByController(podInformer);
  const writtenPods = new WrittenObjects<Pod>(podInformer, clock);
  const recorder = context.recorder(NAME);

  showAvailability(context.metrics, () => sets.lister.list());

  const reconcileSet = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = splitKey(key);
    const set = sets.lister.get({ namespace, name });
    if (set === undefined) return undefined;
    const uid = set.metadata.uid!;
    const control = new StatefulPodControl(client, recorder, set);
    const claim = {
      client,
      ownerResource: statefulSets,
      owner: set,
      selector: labelSelectorAsSelector(set.spec.selector),
    };
    const canAdopt = (): Promise<void> => checkCanAdopt(client, statefulSets, set);
    const shownPods = (): readonly Pod[] => writtenPods.view(uid, podsByOwner.ownedBy(uid));
    return reconcile(set, {
      nowMs: () => clock.wallMs(),
      claimPods: () =>
        claimObjects([...shownPods(), ...podsByOwner.orphans(namespace)], {
          ...claim,
          canAdopt,
          resource: pods,
          matches: (pod) => isMember(set, pod),
        }),
      ...revisions.stepsOf({ ...claim, canAdopt }, { keepsOthers: true }),
      createPod: async (pod) => writtenPods.put(uid, await control.createPod(pod)),
      updatePod: (pod) => control.updatePod(pod),
      deletePod: async (pod) => {
        await control.deletePod(pod);
        writtenPods.putDeleted(uid, pod);
      },
      podFailed: (verb, pod, error) => control.podFailed(verb, pod, error),
      claim: (claimName) => claims.lister.get({ namespace, name: claimName }),
      createClaim: (wanted, pod) => control.createClaim(wanted, pod),
      updateClaim: async (changed) => void (await client.update(persistentVolumeClaims, changed)),
      updateStatus: (changed) => client.update(statefulSets, changed, { subresource: 'status' }),
    });
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    reconcile: reconcileSet,
  });
  controller.follow(sets, (set) => [keyOf(set)]);
  controller.handle(sets, {
    onDelete: ({ metadata }) => {
      writtenPods.forget(metadata.uid!);
      revisions.forget(metadata.uid!);
    },
  });
  controller.follow(podInformer, (pod) => {
    const ref = controllerOf(pod);
    if (ref !== undefined) return refersTo(ref, statefulSets) ? [`${pod.metadata.namespace}/${ref.name}`] : [];
    const parent = parsePodName(pod.metadata.name!)?.parent ?? '';
    const set = sets.lister.get({ namespace: pod.metadata.namespace ?? '', name: parent });
    return set !== undefined && selects(set, pod) ? [keyOf(set)] : [];
  });
  controller.follow(revisions.informer, () => []);
  // A pod waits until the claim of the last one of its name is gone.
  controller.follow(claims, () => []);
  controller.handle(claims, {
    onDelete: ({ metadata }) => {
      for (const ref of metadata.ownerReferences ?? []) {
        const parent = refersTo(ref, pods) ? parsePodName(ref.name)?.parent : undefined;
        if (parent !== undefined) controller.queue.add(`${metadata.namespace}/${parent}`);
      }
    },
  });
  return controller;
}

function selects({ spec }: StatefulSet, { metadata }: Pod): boolean {
  const selector = labelSelectorAsSelector(spec.selector);
  return !selector.empty && selector.matches(metadata.labels);
}
