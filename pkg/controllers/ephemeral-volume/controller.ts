import { persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import { splitKey } from '../../client/informer/object-key.ts';
import { controllerReference, isControlledBy } from '../../client/reconcile/owner-references.ts';
import type { PersistentVolumeClaim, Pod, Volume } from '../../generated/types/core-v1.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import { PodsByClaim } from '../owned/pods-by-claim.ts';
import { QueueController } from '../queue-controller.ts';

const NAME = 'ephemeral-volume-controller';

/** Makes the claims of the ephemeral volumes of pods. */
export const ephemeralVolumeController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [pods, persistentVolumeClaims],
  create: (context, { workers }) => {
    const { client, informers } = context;
    const podInformer = informers.informer(pods);
    const claims = informers.informer(persistentVolumeClaims);
    const podsByClaim = new PodsByClaim(podInformer);
    const recorder = context.recorder('ephemeral_volume');

    const creates = context.metrics.counter({
      name: 'ephemeral_volume_controller_create_total',
      help: 'Claims of ephemeral volumes that were to be created.',
    });
    const failures = context.metrics.counter({
      name: 'ephemeral_volume_controller_create_failures_total',
      help: 'Claims of ephemeral volumes whose creation failed.',
    });
    const create = async (claim: PersistentVolumeClaim): Promise<void> => {
      creates.increment();
      try {
        await client.create(persistentVolumeClaims, claim);
      } catch (error) {
        failures.increment();
        throw error;
      }
    };
    const ensureClaim = async (pod: Pod, volume: Volume): Promise<void> => {
      const wanted = claimFor(pod, volume);
      const { namespace = '', name = '' } = wanted.metadata;
      const claim = claims.lister.get({ namespace, name });
      if (claim === undefined) await create(wanted);
      else if (!isControlledBy(claim, pod))
        throw new Error(
          `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
        );
    };
    const controller = new QueueController(context, {
      name: NAME,
      workers: workers.ephemeralVolume,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const pod = podInformer.lister.get({ namespace, name });
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
        for (const volume of ephemeralVolumes(pod)) {
          try {
            await ensureClaim(pod, volume);
          } catch (error) {
            const note = `ephemeral volume ${volume.name}: ${error instanceof Error ? error.message : String(error)}`;
            recorder.event(pod, { type: 'Warning', reason: 'FailedBinding', note });
            throw error;
          }
        }
        return undefined;
      },
    });
    const queue = (pod: Pod): void => {
      if (ephemeralVolumes(pod).length > 0 && pod.metadata.deletionTimestamp === undefined)
        controller.queue.add(`${pod.metadata.namespace}/${pod.metadata.name}`);
    };
    // Volumes of a pod do not change: only a pod that comes, or a claim that goes, is something to do.
    controller.handle(podInformer, {
      onAdd: queue,
      onUpdate: (old, pod) => {
        if (old.metadata.uid !== pod.metadata.uid) queue(pod);
      },
    });
    controller.handle(claims, { onDelete: (claim) => podsByClaim.using(claim).forEach(queue) });
    return controller;
  },
};

function ephemeralVolumes({ spec }: Pod): readonly Volume[] {
  return (spec.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

function claimFor(pod: Pod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { metadata, spec } = ephemeral!.volumeClaimTemplate!;
  const { labels, annotations } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: pod.metadata.namespace!,
      name: `${pod.metadata.name}-${name}`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(pods, pod)],
    },
    spec,
    status: {},
  };
}
