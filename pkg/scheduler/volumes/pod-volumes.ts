import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import { claimClass } from '../../api/core/persistent-volume/match-claim.ts';
import { BIND_COMPLETED } from '../../controllers/persistent-volume-binder/names.ts';
import type { VolumeLookup } from './volume-lookup.ts';

/** The claims of one pod by what is still to be done for them. */
export interface PodVolumes {
  readonly bound: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume | undefined }[];
  /** Bound when a node is chosen: their class says so. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

/** Sorts the claims of a pod; a text says why the pod can be nowhere yet. */
export function podVolumesOf(pod: Pod, lookup: VolumeLookup): PodVolumes | string {
  const bound: { claim: PersistentVolumeClaim; volume: PersistentVolume | undefined }[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let unbound = false;
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined && ephemeral === undefined) continue;
    const claimName = persistentVolumeClaim?.claimName ?? `${pod.metadata.name}-${name}`;
    const claim = lookup.claim(pod.metadata.namespace!, claimName);
    const problem = claimProblem(pod, claimName, claim, ephemeral !== undefined);
    if (problem !== undefined) return problem;
    if (isBound(claim!)) bound.push({ claim: claim!, volume: lookup.volume(claim!.spec.volumeName!) });
    else if ((claim!.spec.volumeName ?? '') === '' && isDelayed(claim!, lookup)) delayed.push(claim!);
    else unbound = true;
  }
  return unbound ? 'pod has unbound immediate PersistentVolumeClaims' : { bound, delayed };
}

export function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Whether the class of the claim waits for the first pod that uses it. */
function isDelayed(claim: PersistentVolumeClaim, lookup: Pick<VolumeLookup, 'storageClass'>): boolean {
  return lookup.storageClass(claimClass(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
}

function claimProblem(
  { metadata }: Pod,
  claimName: string,
  claim: PersistentVolumeClaim | undefined,
  isEphemeral: boolean,
): string | undefined {
  if (claim === undefined)
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${JSON.stringify(claimName)}`
      : `persistentvolumeclaim ${JSON.stringify(claimName)} not found`;
  if (claim.status.phase === 'Lost')
    return `persistentvolumeclaim ${JSON.stringify(claimName)} bound to non-existent persistentvolume ${JSON.stringify(claim.spec.volumeName)}`;
  if (claim.metadata.deletionTimestamp !== undefined)
    return `persistentvolumeclaim ${JSON.stringify(claimName)} is being deleted`;
  const owned = claim.metadata.ownerReferences?.some(
    ({ uid, controller }) => controller === true && uid === metadata.uid,
  );
  return isEphemeral && owned !== true
    ? `PVC ${metadata.namespace}/${claimName} was not created for pod ${metadata.namespace}/${metadata.name} (pod is not owner)`
    : undefined;
}
