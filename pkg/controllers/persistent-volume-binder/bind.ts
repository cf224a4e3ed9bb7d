import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { BinderSteps } from './binder-steps.ts';
import { isBoundTo } from './choose-volume.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from './names.ts';
import { setClaimPhase, setVolumePhase } from './phases.ts';

/** Ties a volume and a claim together, the volume first; whatever is done already is left. */
export async function bind(volume: PersistentVolume, claim: PersistentVolumeClaim, steps: BinderSteps): Promise<void> {
  const withClaim = volumeFor(volume, claim);
  const bound = await setVolumePhase(
    withClaim === volume ? volume : await steps.updateVolume(withClaim),
    'Bound',
    steps,
  );
  const withVolume = claimOf(claim, bound);
  await setClaimPhase(withVolume === claim ? claim : await steps.updateClaim(withVolume), 'Bound', bound, steps);
}

function volumeFor(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { metadata, spec } = volume;
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const { claimRef } = spec;
  if (claimRef?.name === name && claimRef?.namespace === namespace && claimRef?.uid === uid) return volume;
  const annotations = isBoundTo(volume, claim)
    ? {}
    : { annotations: { ...metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' } };
  return {
    ...volume,
    metadata: { ...metadata, ...annotations },
    spec: {
      ...spec,
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
    },
  };
}

function claimOf(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { metadata, spec } = claim;
  const volumeName = volume.metadata.name!;
  const isNamed = spec.volumeName === volumeName;
  if (isNamed && metadata.annotations?.[BIND_COMPLETED] !== undefined) return claim;
  const annotations = {
    ...metadata.annotations,
    ...(isNamed ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }),
    [BIND_COMPLETED]: 'yes',
  };
  return { ...claim, metadata: { ...metadata, annotations }, spec: { ...spec, volumeName } };
}

/** Frees a volume whose claim has another one; a claim that the volume's author named stays named. */
export async function unbind(volume: PersistentVolume, steps: BinderSteps): Promise<void> {
  const { metadata, spec } = volume;
  const { claimRef, ...free } = spec;
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = metadata.annotations ?? {};
  const { uid: _uid, ...named } = claimRef!;
  const updated = await steps.updateVolume(
    byController === undefined
      ? { ...volume, spec: { ...spec, claimRef: named } }
      : { ...volume, metadata: { ...metadata, annotations }, spec: free },
  );
  await setVolumePhase(updated, 'Available', steps);
}
