import type { EndpointAddress, EndpointSubset } from '../../generated/types/core-v1.ts';

export const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const CAPACITY = 1000;

function count(subsets: readonly EndpointSubset[], of: 'addresses' | 'notReadyAddresses'): number {
  return subsets.reduce((sum, subset) => sum + (subset[of]?.length ?? 0), 0);
}

export function isOverCapacity(subsets: readonly EndpointSubset[]): boolean {
  return count(subsets, 'addresses') + count(subsets, 'notReadyAddresses') > CAPACITY;
}

/** As many addresses as one object may have, ready ones first; each subset keeps its share. */
export function truncate(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  if (!isOverCapacity(subsets)) return [...subsets];
  const ready = count(subsets, 'addresses');
  const cutReady = ready > CAPACITY;
  const places = cutReady ? CAPACITY : CAPACITY - ready;
  const total = cutReady ? ready : count(subsets, 'notReadyAddresses');
  let left = places;
  return subsets.map((subset) => {
    const cut = (cutReady ? subset.addresses : subset.notReadyAddresses) ?? [];
    const kept = Math.min(Math.ceil((cut.length / total) * places), left, cut.length);
    left -= kept;
    return cutReady
      ? withAddresses(subset, cut.slice(0, kept), [])
      : withAddresses(subset, subset.addresses ?? [], cut.slice(0, kept));
  });
}

function withAddresses(
  { ports }: EndpointSubset,
  addresses: EndpointAddress[],
  notReadyAddresses: EndpointAddress[],
): EndpointSubset {
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports === undefined ? {} : { ports }),
  };
}
