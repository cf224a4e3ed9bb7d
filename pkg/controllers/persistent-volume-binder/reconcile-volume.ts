import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import { unbind } from './bind.ts';
import { warning, type BinderSteps } from './binder-steps.ts';
import { currentProvisioner, DELETION_FINALIZER, IN_TREE, PROVISIONED_BY } from './names.ts';
import { setVolumePhase } from './phases.ts';
import { reclaimVolume } from './reclaim-volume.ts';

/** Brings the phase of a volume to what its claim says, and reclaims it where the claim is gone. */
export async function reconcileVolume(read: PersistentVolume, steps: BinderSteps): Promise<void> {
  const volume = await keepFinalizer(read, steps);
  const { claimRef } = volume.spec;
  if (claimRef === undefined || (claimRef.uid ?? '') === '')
    return void (await setVolumePhase(volume, 'Available', steps));
  const claim = await claimOf(volume, steps);
  if (claim === undefined) return release(volume, steps);
  const volumeName = claim.spec.volumeName ?? '';
  if (volumeName === volume.metadata.name) return void (await setVolumePhase(volume, 'Bound', steps));
  if (volumeName === '') {
    if ((volume.spec.volumeMode || 'Filesystem') === (claim.spec.volumeMode || 'Filesystem'))
      return steps.queueClaim(claim.metadata.namespace!, claim.metadata.name!);
    const note = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${JSON.stringify(claim.metadata.name)} due to incompatible volumeMode.`;
    steps.event(volume, warning('VolumeMismatch', note));
    return steps.event(
      claim,
      warning(
        'VolumeMismatch',
        `Cannot bind PersistentVolume ${JSON.stringify(volume.metadata.name)} to requested PersistentVolumeClaim due to incompatible volumeMode.`,
      ),
    );
  }
  // The claim has another volume.
  const isMade = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined;
  if (isMade && volume.spec.persistentVolumeReclaimPolicy === 'Delete') await release(volume, steps);
  else await unbind(volume, steps);
}

/** The policy of a volume that this program made may change. */
async function keepFinalizer(volume: PersistentVolume, steps: BinderSteps): Promise<PersistentVolume> {
  const { metadata, spec } = volume;
  const maker = currentProvisioner(metadata.annotations?.[PROVISIONED_BY] ?? '');
  if (!maker.startsWith(IN_TREE)) return volume;
  const known = metadata.finalizers ?? [];
  const has = known.includes(DELETION_FINALIZER);
  const isWanted = spec.persistentVolumeReclaimPolicy === 'Delete';
  // Nothing can be added to what is being deleted.
  if (has === isWanted || (isWanted && metadata.deletionTimestamp !== undefined)) return volume;
  const finalizers = isWanted ? [...known, DELETION_FINALIZER] : known.filter((name) => name !== DELETION_FINALIZER);
  return steps.updateVolume({ ...volume, metadata: { ...metadata, finalizers } });
}

async function release(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  const isReleased = ['Released', 'Failed'].includes(volume.status.phase ?? '');
  await reclaimVolume(isReleased ? volume : await setVolumePhase(volume, 'Released', steps), steps);
}

/** Data may be deleted where there is no claim: the server is asked before. */
async function claimOf(volume: PersistentVolume, steps: BinderSteps): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = '', name = '', uid } = volume.spec.claimRef!;
  const known = steps.claim(namespace, name);
  if (known?.metadata.uid === uid) return known;
  const live = await steps.liveClaim(namespace, name);
  return live?.metadata.uid === uid ? live : undefined;
}
