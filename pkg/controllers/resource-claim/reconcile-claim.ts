import type { Pod } from '../../generated/types/core-v1.ts';
import type { ResourceClaim, ResourceClaimConsumerReference } from '../../generated/types/resource-v1.ts';
import { ALLOCATION_FINALIZER, isDone, podOf } from './claim-names.ts';

export interface ClaimSteps {
  readonly pod: (namespace: string, name: string) => Pod | undefined;
  /** Asks the server itself. */
  readonly livePod: (namespace: string, name: string) => Promise<Pod | undefined>;
  readonly write: (claim: ResourceClaim) => Promise<ResourceClaim>;
  readonly writeStatus: (claim: ResourceClaim) => Promise<ResourceClaim>;
  readonly delete: (claim: ResourceClaim) => Promise<void>;
}

/** Takes reservations of pods back that are done, frees the devices after the last, and deletes the pod's own claim. */
export async function reconcileClaim(claim: ResourceClaim, steps: ClaimSteps): Promise<void> {
  const namespace = claim.metadata.namespace!;
  const reserved = claim.status?.reservedFor ?? [];
  const valid: ResourceClaimConsumerReference[] = [];
  for (const consumer of reserved) if (await isValid(namespace, consumer, steps)) valid.push(consumer);
  const current = valid.length < reserved.length ? await release(claim, valid, steps) : await unprotect(claim, steps);
  const owner = podOf(claim);
  if (valid.length > 0 || owner === undefined || current.metadata.deletionTimestamp !== undefined) return;
  // A pod that is gone takes its claims along; one that has only ended does not need them any more.
  const pod = steps.pod(namespace, owner.name);
  if (pod?.metadata.uid === owner.uid && isDone(pod)) await steps.delete(current);
}

async function isValid(
  namespace: string,
  { apiGroup = '', resource, name, uid }: ResourceClaimConsumerReference,
  steps: ClaimSteps,
): Promise<boolean> {
  // Only the program that reserved it for something else knows.
  if (apiGroup !== '' || resource !== 'pods') return true;
  const known = steps.pod(namespace, name);
  const pod = known?.metadata.uid === uid ? known : await steps.livePod(namespace, name);
  return pod?.metadata.uid === uid && !isDone(pod);
}

async function release(
  claim: ResourceClaim,
  reservedFor: ResourceClaimConsumerReference[],
  steps: ClaimSteps,
): Promise<ResourceClaim> {
  const { reservedFor: _before, allocation, devices, ...others } = claim.status!;
  // Without the finalizer another program has allocated the devices, and frees them.
  const frees = reservedFor.length === 0 && isProtected(claim);
  const status = frees
    ? others
    : {
        ...others,
        ...(allocation === undefined ? {} : { allocation }),
        ...(devices === undefined ? {} : { devices }),
        ...(reservedFor.length === 0 ? {} : { reservedFor }),
      };
  return unprotect(await steps.writeStatus({ ...claim, status }), steps);
}

async function unprotect(claim: ResourceClaim, steps: ClaimSteps): Promise<ResourceClaim> {
  const { metadata, status } = claim;
  const isUnused = (status?.reservedFor ?? []).length === 0;
  if (!isUnused || !isProtected(claim)) return claim;
  if (status?.allocation !== undefined) {
    // Kept for the next pod, unless the claim is to go.
    if (metadata.deletionTimestamp === undefined) return claim;
    const { allocation: _allocation, devices: _devices, ...others } = status;
    return unprotect(await steps.writeStatus({ ...claim, status: others }), steps);
  }
  const finalizers = metadata.finalizers!.filter((name) => name !== ALLOCATION_FINALIZER);
  return steps.write({ ...claim, metadata: { ...metadata, finalizers } });
}

function isProtected({ metadata }: ResourceClaim): boolean {
  return metadata.finalizers?.includes(ALLOCATION_FINALIZER) === true;
}
