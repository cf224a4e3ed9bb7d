import type { PersistentVolume } from '../../generated/types/core-v1.ts';
import { timed } from '../controller-metrics.ts';
import type { VolumeProvisioner } from '../providers/volume-provisioner.ts';
import { warning, type BinderSteps } from './binder-steps.ts';
import { currentProvisioner, DELETION_FINALIZER, IN_TREE, PROVISIONED_BY } from './names.ts';
import { setVolumePhase } from './phases.ts';
import { recycleVolume } from './recycle-volume.ts';

/** Does with a volume without a claim what its policy says. */
export async function reclaimVolume(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return deleteVolume(volume, steps);
    case 'Recycle':
      return recycleVolume(volume, steps);
    default:
  }
}

async function deleteVolume(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  if (isExternal(volume, steps)) return;
  const { metadata } = volume;
  try {
    const deleter = deleterOf(volume, steps);
    await timed(
      steps,
      () => deleter.delete(volume),
      (seconds, error) => steps.metrics.operation('delete', deleter.name, seconds, error),
    );
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

/** Throws what users are shown where there is none. */
function deleterOf(volume: PersistentVolume, { provisioners }: BinderSteps): VolumeProvisioner {
  const { metadata, spec } = volume;
  const maker = currentProvisioner(metadata.annotations?.[PROVISIONED_BY] ?? '');
  const named = provisioners.find(({ name }) => name === maker);
  if (maker.startsWith(IN_TREE) && named === undefined) throw new Error(`no volume plugin matched name: ${maker}`);
  const found = named ?? provisioners.find((one) => one.owns(volume));
  if (found !== undefined) return found;
  // Kinds that a manager knows, but never deletes.
  const isKnown = spec.nfs !== undefined || spec.local !== undefined;
  throw new Error(
    `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: no ${isKnown ? 'deletable ' : ''}volume plugin matched`,
  );
}

/** Whether a program outside deletes the volume. */
function isExternal({ metadata, spec }: PersistentVolume, steps: BinderSteps): boolean {
  if (spec.csi !== undefined) return true;
  const maker = currentProvisioner(metadata.annotations?.[PROVISIONED_BY] ?? '');
  return maker !== '' && !maker.startsWith(IN_TREE) && !steps.provisioners.some(({ name }) => name === maker);
}
