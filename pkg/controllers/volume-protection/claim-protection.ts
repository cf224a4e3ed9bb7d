import { persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import { splitKey } from '../../client/informer/object-key.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import { claimNamesOf, PodsByClaim } from '../owned/pods-by-claim.ts';
import { QueueController } from '../queue-controller.ts';
import { protectedObject } from './finalizer.ts';

const NAME = 'persistentvolumeclaim-protection-controller';
/** Name of its queue in metrics. */
const QUEUE = 'pvcprotection';
const FINALIZER = 'kubernetes.io/pvc-protection';
const LIST_LIMIT = 500;

/** Keeps claims that are being deleted until no pod on a node uses them. */
export const persistentVolumeClaimProtection: ControllerDescriptor = {
  name: NAME,
  account: 'pvc-protection-controller',
  resources: [persistentVolumeClaims, pods],
  create: (context) => {
    const { client, informers } = context;
    const claims = informers.informer(persistentVolumeClaims);
    const podInformer = informers.informer(pods);
    const podsByClaim = new PodsByClaim(podInformer);

    /** The informer may not show a pod that was just scheduled. */
    const isUsedNow = async (claim: PersistentVolumeClaim): Promise<boolean> => {
      const namespace = claim.metadata.namespace!;
      for (let from: string | undefined = ''; from !== undefined;) {
        const chunk: Awaited<ReturnType<typeof client.list<Pod>>> = await client.list(pods, {
          namespace,
          limit: LIST_LIMIT,
          ...(from === '' ? {} : { continue: from }),
        });
        if (chunk.items.some((pod) => usesClaim(pod, claim))) return true;
        from = chunk.continue || undefined;
      }
      return false;
    };

    const controller = new QueueController(context, {
      name: QUEUE,
      workers: 1,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const claim = claims.lister.get({ namespace, name });
        if (claim === undefined) return undefined;
        const isUsed = podsByClaim.using(claim).some((pod) => usesClaim(pod, claim));
        const wanted = protectedObject(claim, FINALIZER, isUsed);
        if (wanted === undefined) return undefined;
        if (claim.metadata.deletionTimestamp !== undefined && (await isUsedNow(claim))) return undefined;
        await client.update(persistentVolumeClaims, wanted);
        return undefined;
      },
    });
    controller.follow(claims, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]);
    const queueClaims = (pod: Pod): void => {
      for (const name of claimNamesOf(pod)) controller.queue.add(`${pod.metadata.namespace}/${name}`);
    };
    controller.handle(podInformer, {
      onAdd: (pod, isInInitialList) => {
        if (!isInInitialList && (pod.spec.nodeName ?? '') === '') queueClaims(pod);
      },
      onUpdate: (old, pod) => {
        if (old.metadata.uid !== pod.metadata.uid) queueClaims(old);
      },
      onDelete: queueClaims,
    });
    return controller;
  },
};

/** A pod without a node will not get one while its claim is being deleted. */
function usesClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  return (pod.spec.nodeName ?? '') !== '' && claimNamesOf(pod).includes(metadata.name!);
}
