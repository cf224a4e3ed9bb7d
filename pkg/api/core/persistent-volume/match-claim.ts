import { labelSelectorAsSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { compareQuantities } from '../../../apimachinery/values/quantity.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../generated/types/core-v1.ts';
import { nodeSelectorMatcher } from '../node/match-node.ts';

/** Older name of the class, which wins over the field. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The class of a claim; empty: none. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}

/** The class of a volume; empty: none. */
export function volumeClass({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}

/** Whether the volume is meant for the claim: by name, and by uid where it names one. */
function isVolumeOf({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return (claimRef?.uid ?? '') === '' || claimRef?.uid === metadata.uid;
}

/** Whether pods on the node can use the volume. */
export function isVolumeOnNode({ spec: { nodeAffinity } }: PersistentVolume, node: Node): boolean {
  return nodeAffinity?.required === undefined || nodeSelectorMatcher(nodeAffinity.required)(node);
}

export interface MatchOptions {
  /** Only volumes that pods on this node can use. */
  readonly node?: Node;
  /** Names of volumes that are given away already. */
  readonly taken?: ReadonlySet<string>;
  /** Without a node: leave the claim to the scheduler, but for a volume that is meant for it. */
  readonly delayed?: boolean;
}

/** The volume that is meant for the claim; else the smallest that is free and fits. */
export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { node, taken, delayed = false }: MatchOptions = {},
): PersistentVolume | undefined {
  const wanted = claim.spec.resources.requests?.['storage'] ?? '0';
  const wantedClass = claimClass(claim);
  const selector = claim.spec.selector === undefined ? undefined : labelSelectorAsSelector(claim.spec.selector);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name!) === true) continue;
    // One that is being deleted is given to no other claim, and stays with its own.
    if (volume.spec.claimRef === undefined && volume.metadata.deletionTimestamp !== undefined) continue;
    const capacity = volume.spec.capacity?.['storage'] ?? '0';
    if (compareQuantities(capacity, wanted) < 0 || modeOf(volume.spec) !== modeOf(claim.spec)) continue;
    if ((volume.spec.volumeAttributesClassName ?? '') !== (claim.spec.volumeAttributesClassName ?? '')) continue;
    if (node !== undefined && !isVolumeOnNode(volume, node)) continue;
    if (isVolumeOf(volume, claim)) return volume;
    if (node === undefined && delayed) continue;
    if (volume.status.phase !== 'Available' || volume.spec.claimRef !== undefined) continue;
    if (volumeClass(volume) !== wantedClass || selector?.matches(volume.metadata.labels) === false) continue;
    if (!hasModes(volume, claim)) continue;
    if (smallest === undefined || compareQuantities(capacity, smallest.spec.capacity!['storage']!) < 0)
      smallest = volume;
  }
  return smallest;
}

/** Whether the volume offers every access mode that the claim asks for. */
function hasModes({ spec: { accessModes } }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => accessModes?.includes(mode) === true);
}

function modeOf({ volumeMode }: { readonly volumeMode?: string }): string {
  return volumeMode || 'Filesystem';
}
