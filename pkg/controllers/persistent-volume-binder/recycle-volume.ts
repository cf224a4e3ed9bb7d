import type { PersistentVolume, Pod } from '../../generated/types/core-v1.ts';
import { isAlreadyExists } from '../../apimachinery/errors/status-error.ts';
import { hasEnded } from '../owned/pod-state.ts';
import { unbind } from './bind.ts';
import { normal, warning, type BinderSteps } from './binder-steps.ts';
import { setVolumePhase } from './phases.ts';
import { type RecyclerConfig, recyclerName, recyclerPod, type RecyclersConfig } from './recycler-pod.ts';

/** Has a pod remove the data of a volume, which is free for other claims after that. */
export async function recycleVolume(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  const config = recyclerOf(volume, steps.recyclers);
  if (config === undefined) return fail(volume, 'No recycler plugin found for the volume!', steps);
  const { namespace = '', name = '' } = volume.spec.claimRef!;
  const users = steps.podsUsing(namespace, name).filter((pod) => !hasEnded(pod));
  // Pods of a new claim with the name do not use this volume.
  if (users.length > 0 && steps.claim(namespace, name) === undefined) {
    const names = users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    return steps.event(volume, normal('VolumeFailedRecycle', `Volume is used by pods: ${names.join(',')}`));
  }
  const wanted = recyclerPod(volume, config);
  const pod = steps.recycler(wanted.metadata.namespace!, recyclerName(volume));
  if (pod === undefined) return start(volume, wanted, steps);
  switch (pod.status.phase) {
    case 'Succeeded':
      await steps.deletePod(pod);
      steps.event(volume, normal('VolumeRecycled', 'Volume recycled'));
      return unbind(volume, steps);
    case 'Failed':
      await steps.deletePod(pod);
      return fail(
        volume,
        `Recycle failed: failed to recycle volume: ${pod.status.message || 'pod failed, pod.Status.Message unknown'}`,
        steps,
      );
    default:
  }
}

function recyclerOf({ spec }: PersistentVolume, recyclers: RecyclersConfig): RecyclerConfig | undefined {
  if (spec.hostPath !== undefined) return recyclers.hostPath;
  return spec.nfs === undefined ? undefined : recyclers.nfs;
}

/** The end of the pod brings the volume back. */
async function start(volume: PersistentVolume, wanted: Pod, steps: BinderSteps): Promise<void> {
  try {
    steps.recyclerStarted(volume, await steps.createPod(wanted));
  } catch (error) {
    // It is there, and is about to be seen.
    if (isAlreadyExists(error)) return;
    const why = error instanceof Error ? error.message : String(error);
    await fail(volume, `Recycle failed: unexpected error creating recycler pod:  ${why}`, steps);
  }
}

async function fail(volume: PersistentVolume, note: string, steps: BinderSteps): Promise<void> {
  await setVolumePhase(volume, 'Failed', steps, warning('VolumeFailedRecycle', note));
}
