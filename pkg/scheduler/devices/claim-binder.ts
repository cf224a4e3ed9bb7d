import { resourceClaims } from '../../api/resource/tokens.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { Client } from '../../client/rest/client.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import type { AllocationResult, ResourceClaim } from '../../generated/types/resource-v1.ts';
import { ALLOCATION_FINALIZER, isReservedFor } from '../../controllers/resource-claim/claim-names.ts';
import { podClaims } from '../plugins/dynamic-resources.ts';
import { deviceAllocator } from './allocate-devices.ts';
import type { DeviceCache } from './device-cache.ts';

/** The devices of one pod: chosen, and not yet written. */
export interface DeviceReservation {
  /** Writes the allocations, and that the pod uses the claims. */
  write(clock: Clock, signal: AbortSignal): Promise<void>;
  /** The pod does not get the node. */
  forget(): void;
}

/** Chooses devices for the claims of a pod on its node at once, so that no other pod is given them meanwhile. */
export function reserveDevices(client: Client, devices: DeviceCache, pod: Pod, node: Node): DeviceReservation {
  const claims = podClaims(pod, devices);
  if ('rejected' in claims) throw new Error(claims.rejected.reasons[0]);
  const open = claims.filter(({ status }) => status?.allocation === undefined);
  const allocations =
    open.length === 0 ? new Map<ResourceClaim, AllocationResult>() : deviceAllocator(open, devices)(node);
  if (allocations === undefined)
    throw new Error(`the devices of node ${node.metadata.name} were given to others meanwhile`);
  for (const [claim, allocation] of allocations) devices.assume({ ...claim, status: { ...claim.status, allocation } });
  return {
    async write(clock, signal) {
      const now = formatTime(new Date(clock.wallMs()));
      for (const claim of claims)
        await writeClaim(client, claim, { pod, allocation: allocations.get(claim), now, signal });
    },
    forget() {
      for (const { metadata } of open) devices.forget(metadata.uid!);
    },
  };
}

interface ClaimWrite {
  readonly pod: Pod;
  /** Undefined: the claim has one. */
  readonly allocation: AllocationResult | undefined;
  /** RFC 3339. */
  readonly now: string;
  readonly signal: AbortSignal;
}

/** The finalizer first: an allocation without it could be lost with the claim. */
async function writeClaim(
  client: Client,
  claim: ResourceClaim,
  { pod, allocation, now, signal }: ClaimWrite,
): Promise<void> {
  if (allocation === undefined && isReservedFor(claim, pod)) return;
  const finalizers = claim.metadata.finalizers ?? [];
  const isProtected = allocation === undefined || finalizers.includes(ALLOCATION_FINALIZER);
  const metadata = { ...claim.metadata, finalizers: [...finalizers, ALLOCATION_FINALIZER] };
  const current = isProtected ? claim : await client.update(resourceClaims, { ...claim, metadata }, { signal });
  const consumer = { resource: 'pods', name: pod.metadata.name!, uid: pod.metadata.uid! };
  const allocated = allocation ?? current.status?.allocation;
  const status = {
    ...current.status,
    // Drivers whose devices must get ready first count from then on (KEP-5007).
    ...(allocated === undefined ? {} : { allocation: { allocationTimestamp: now, ...allocated } }),
    reservedFor: [...(current.status?.reservedFor ?? []), consumer],
  };
  await client.update(resourceClaims, { ...current, status }, { subresource: 'status', signal });
}
