import type { PersistentVolume } from '../../generated/types/core-v1.ts';
import { warning, type BinderSteps } from './binder-steps.ts';
import { currentProvisioner, DELETION_FINALIZER, PROVISIONED_BY } from './names.ts';
import { setVolumePhase } from './phases.ts';

/** Does with a volume without a claim what its policy says. */
export async function reclaimVolume(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return deleteVolume(volume, steps);
    case 'Recycle':
      await setVolumePhase(
        volume,
        'Failed',
        steps,
        warning('VolumeFailedRecycle', 'No recycler plugin found for the volume!'),
      );
      return;
    default:
  }
}

async function deleteVolume(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  if (isExternal(volume, steps)) return;
  const { metadata } = volume;
  const provisioner = steps.provisioners.find((one) => one.owns(volume));
  try {
    if (provisioner === undefined)
      throw new Error(
        `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: no deletable volume plugin matched`,
      );
    await provisioner.delete(volume);
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    await setVolumePhase(volume, 'Failed', steps, warning('VolumeFailedDelete', note));
    return;
  }
  const finalizers = metadata.finalizers?.filter((name) => name !== DELETION_FINALIZER);
  const unprotected =
    finalizers?.length === metadata.finalizers?.length
      ? volume
      : await steps.updateVolume({ ...volume, metadata: { ...metadata, finalizers } });
  if (metadata.deletionTimestamp === undefined) await steps.deleteVolume(unprotected);
}

/** Whether a program outside deletes the volume. */
function isExternal({ metadata, spec }: PersistentVolume, steps: BinderSteps): boolean {
  if (spec.csi !== undefined) return true;
  const maker = metadata.annotations?.[PROVISIONED_BY];
  return maker !== undefined && !steps.provisioners.some(({ name }) => name === currentProvisioner(maker));
}
