import { claimClass, findMatchingVolume, volumeClass } from '../../api/core/persistent-volume/match-claim.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';

/**
 * The best of the volumes for a claim: of those with the fewest access modes, which leaves the more capable ones for
 * others, one that is meant for the claim, else the smallest that fits.
 */
export function chooseVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  delayed: boolean,
): PersistentVolume | undefined {
  const groups = new Map<string, PersistentVolume[]>();
  const wanted = claim.spec.accessModes ?? [];
  for (const volume of volumes) {
    const modes = volume.spec.accessModes ?? [];
    if (!wanted.every((mode) => modes.includes(mode))) continue;
    const key = modes.toSorted().join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [volume]);
    else group.push(volume);
  }
  const ordered = [...groups.values()].sort((a, b) => modesOf(a) - modesOf(b));
  for (const group of ordered) {
    const found = findMatchingVolume(claim, group, { delayed });
    if (found !== undefined) return found;
  }
  return undefined;
}

function modesOf([volume]: readonly PersistentVolume[]): number {
  return volume?.spec.accessModes?.length ?? 0;
}

/** Why a claim cannot have the volume that it asks for by name; undefined: it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  const requested = claim.spec.resources.requests?.['storage'] ?? '0';
  if (compareQuantities(volume.spec.capacity?.['storage'] ?? '0', requested) < 0) return 'requested PV is too small';
  if (volumeClass(volume) !== claimClass(claim)) return 'storageClassName does not match';
  if ((volume.spec.volumeAttributesClassName ?? '') !== (claim.spec.volumeAttributesClassName ?? ''))
    return 'volumeAttributesClassName does not match';
  if ((volume.spec.volumeMode || 'Filesystem') !== (claim.spec.volumeMode || 'Filesystem'))
    return 'incompatible volumeMode';
  if (!(claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode)))
    return 'incompatible accessMode';
  return undefined;
}

/** Whether the volume is the claim's, or is meant for it. */
export function isBoundTo({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return (claimRef?.uid ?? '') === '' || claimRef?.uid === metadata.uid;
}
