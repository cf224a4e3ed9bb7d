import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Node, PersistentVolumeClaim } from '../generated/types/core-v1.ts';
import type { PodInfo } from './pod-info.ts';

/** Objects beside nodes and pods that decide where a pod can be. */
export type OtherKind =
  | 'claim'
  | 'volume'
  | 'storageClass'
  | 'csiNode'
  | 'csiDriver'
  | 'storageCapacity'
  | 'resourceClaim'
  | 'deviceClass'
  | 'resourceSlice';

/**
 * A change of the cluster after which a pod may fit that no node could take. Each filter says which of them matter to
 * the pods that it rejected, so that all others wait.
 */
export type ClusterEvent =
  /** `old` is absent for a node that is new. */
  | { readonly kind: 'node'; readonly old: Node | undefined; readonly node: Node }
  | { readonly kind: 'nodeRemoved'; readonly node: Node }
  /** A pod with a node; `old` is absent when it has just got it. */
  | { readonly kind: 'pod'; readonly old: PodInfo | undefined; readonly pod: PodInfo }
  /** A pod that had a node, or was about to get one, is gone or has ended. */
  | { readonly kind: 'podRemoved'; readonly pod: PodInfo }
  /** `old` is absent for an object that is new, or that goes; the removal of claims to devices alone is an event. */
  | { readonly kind: OtherKind; readonly object: ApiObject; readonly old?: ApiObject; readonly isRemoved?: true };

/** Whether a node is new, or its labels are. */
export function bringsLabels(event: ClusterEvent): event is Extract<ClusterEvent, { readonly kind: 'node' }> {
  if (event.kind !== 'node') return false;
  const { old, node } = event;
  return old === undefined || JSON.stringify(old.metadata.labels) !== JSON.stringify(node.metadata.labels);
}

/** Whether the values of labels are others than before. */
export function changesLabels(
  { old, node }: { readonly old: Node; readonly node: Node },
  keys: readonly string[],
): boolean {
  return keys.some((key) => old.metadata.labels?.[key] !== node.metadata.labels?.[key]);
}

export function isOwnClaim(event: ClusterEvent, { namespace, claims }: PodInfo): boolean {
  if (event.kind !== 'claim') return false;
  const { metadata } = event.object as PersistentVolumeClaim;
  return metadata.namespace === namespace && claims.includes(metadata.name!);
}
