import { controllerOf } from '../../client/reconcile/owner-references.ts';
import type { Pod, PodResourceClaim } from '../../generated/types/core-v1.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import { hasEnded } from '../owned/pod-state.ts';

/** On claims made for pods: the entry of the pod that they are for. */
export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name';
/** Keeps allocated claims from being deleted. */
export const ALLOCATION_FINALIZER = 'resource.kubernetes.io/delete-protection';

/** The name of the claim that an entry of a pod means: its own, or that of the one made for it; undefined: none yet. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  if ((resourceClaimName ?? '') !== '') return resourceClaimName;
  return status.resourceClaimStatuses?.find((entry) => entry.name === name)?.resourceClaimName;
}

/** `namespace/name` of the claims that a pod uses. */
export function claimKeysOf(pod: Pod): readonly string[] {
  return (pod.spec.resourceClaims ?? []).flatMap((entry) => {
    const name = claimNameOf(pod, entry);
    return name === undefined ? [] : [`${pod.metadata.namespace}/${name}`];
  });
}

/** Ended, or gone before a node saw it: it uses no claim any more. */
export function isDone(pod: Pod): boolean {
  const { metadata, spec } = pod;
  return hasEnded(pod) || (metadata.deletionTimestamp !== undefined && (spec.nodeName ?? '') === '');
}

/** The pod for which a claim was made, by its uid and name. */
export function podOf(claim: ResourceClaim): { readonly uid: string; readonly name: string } | undefined {
  const owner = controllerOf(claim);
  return owner?.kind === 'Pod' && owner.apiVersion === 'v1' ? owner : undefined;
}

export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === metadata.uid) === true;
}
