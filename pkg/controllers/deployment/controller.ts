import { deployments, replicaSets } from '../../api/apps/tokens.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { pods } from '../../api/core/tokens.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { checkCanAdopt, claimObjects } from '../../client/reconcile/adoption.ts';
import { controllerOf, refersTo } from '../../client/reconcile/owner-references.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { UpdateControl } from '../owned/update-control.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'deployment-controller';

export const deploymentController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [deployments, replicaSets, pods],
  create: (context, { workers }) => controllerOfDeployments(context, workers.deployment),
};

/** Rolls the templates of deployments out over replica sets. */
function controllerOfDeployments(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const informer = informers.informer(deployments);
  const sets = informers.informer(replicaSets);
  const podInformer = informers.informer(pods);
  const setsByOwner = new ObjectsByController(sets);
  const podsByOwner = new ObjectsByController(podInformer);
  const written = new WrittenObjects<ReplicaSet>(sets, clock);
  const setControl = new UpdateControl(client, replicaSets, written);
  const recorder = context.recorder(NAME);

  const reconcileDeployment = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = splitKey(key);
    const deployment = informer.lister.get({ namespace, name });
    if (deployment === undefined) return undefined;
    const uid = deployment.metadata.uid!;
    return reconcile(deployment, {
      nowMs: () => clock.wallMs(),
      claimSets: async (owner) => {
        await setControl.findUnknown(uid);
        return claimObjects([...written.view(uid, setsByOwner.ownedBy(uid)), ...setsByOwner.orphans(namespace)], {
          client,
          ownerResource: deployments,
          owner,
          resource: replicaSets,
          selector: labelSelectorAsSelector(owner.spec.selector),
          canAdopt: () => checkCanAdopt(client, deployments, owner),
        });
      },
      podsOf: ({ metadata }) => podsByOwner.ownedBy(metadata.uid!),
      createSet: async (set) => {
        const created = await client.create(replicaSets, set);
        written.put(uid, created);
        return created;
      },
      readSet: (set) => client.get(replicaSets, { namespace, name: set }),
      updateSet: (set) => setControl.update(uid, set),
      deleteSet: ({ metadata }) =>
        client.delete(
          replicaSets,
          { namespace, name: metadata.name! },
          { preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion } },
        ),
      updateDeployment: (changed) => client.update(deployments, changed),
      updateStatus: (changed) => client.update(deployments, changed, { subresource: 'status' }),
      event: (subject, type, reason, note) => recorder.event(subject, { type, reason, note }),
    });
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    reconcile: reconcileDeployment,
  });
  const ownerKey = (object: ApiObject): readonly string[] => {
    const ref = controllerOf(object);
    return ref !== undefined && refersTo(ref, deployments) ? [`${object.metadata.namespace}/${ref.name}`] : [];
  };
  controller.follow(informer, (deployment) => [keyOf(deployment)]);
  controller.handle(informer, { onDelete: ({ metadata }) => setControl.forget(metadata.uid!) });
  controller.follow(sets, (set) => {
    if (controllerOf(set) !== undefined) return ownerKey(set);
    return informer.lister
      .list({ namespace: set.metadata.namespace ?? '' })
      .filter((deployment) => selects(deployment, set))
      .map(keyOf);
  });
  // A rollout that recreates waits for the last old pod to go.
  controller.handle(podInformer, {
    onDelete: (pod) => {
      const ref = controllerOf(pod);
      const set = sets.lister.get({ namespace: pod.metadata.namespace ?? '', name: ref?.name ?? '' });
      if (set !== undefined && set.metadata.uid === ref?.uid)
        for (const key of ownerKey(set)) controller.queue.add(key);
    },
  });
  return controller;
}

function selects({ spec }: Deployment, { metadata }: ReplicaSet): boolean {
  const selector = labelSelectorAsSelector(spec.selector);
  return !selector.empty && selector.matches(metadata.labels);
}
