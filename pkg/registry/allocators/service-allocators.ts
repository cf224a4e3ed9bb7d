import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import type { Store } from '../../storage/store.ts';
import type { StoreAccess } from '../store-access.ts';
import { ClusterIpAllocator } from './cluster-ip-allocator.ts';
import { clusterIpRange, nodePortRange } from './number-range.ts';
import { RangeAllocator } from './range-allocator.ts';
import { ServiceCidrRanges } from './service-cidr-ranges.ts';

/** The allocators of services. */
export interface ServiceAllocators {
  /** By family, the default one first. */
  readonly clusterIps: ReadonlyMap<IpFamily, ClusterIpAllocator>;
  /** Where cluster IPs are allocated from. */
  readonly ranges: ServiceCidrRanges;
  readonly nodePorts: RangeAllocator<number>;
}

export interface ServiceRanges {
  /** `--service-cluster-ip-range`: one CIDR, or one of each family, the default one first. */
  readonly clusterIps: readonly string[];
  /** `--service-node-port-range`, both ends included. */
  readonly nodePorts: { readonly low: number; readonly high: number };
}

const IP_KEYS = ['ranges/serviceips', 'ranges/secondaryserviceips'] as const;
const PORT_KEY = 'ranges/servicenodeports';

/**
 * Throws where the ranges are malformed, none, more than two, or of the same family. Allocations are in `store`;
 * `stores` are read when something is allocated.
 */
export function openServiceAllocators(
  store: Store,
  stores: StoreAccess,
  configured: ServiceRanges,
  random?: () => number,
): ServiceAllocators {
  const clusterIps = new Map<IpFamily, ClusterIpAllocator>();
  const ranges = new ServiceCidrRanges(stores);
  if (configured.clusterIps.length < 1 || configured.clusterIps.length > IP_KEYS.length)
    throw new Error('one or two service IP ranges are needed');
  for (const [i, cidr] of configured.clusterIps.entries()) {
    const family: IpFamily = cidr.includes(':') ? 'IPv6' : 'IPv4';
    if (clusterIps.has(family)) throw new Error('the two service IP ranges must be of different families');
    const bitmap = new RangeAllocator({ store, key: IP_KEYS[i]!, range: clusterIpRange(cidr) });
    clusterIps.set(family, new ClusterIpAllocator({ family, stores, ranges, bitmap, random }));
  }
  const { low, high } = configured.nodePorts;
  const nodePorts = new RangeAllocator({
    store,
    key: PORT_KEY,
    range: nodePortRange(low, high),
    ...(random === undefined ? {} : { random }),
  });
  return { clusterIps, nodePorts, ranges };
}
