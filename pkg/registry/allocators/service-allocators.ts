import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import type { Store } from '../../storage/store.ts';
import { clusterIpRange, nodePortRange } from './number-range.ts';
import { RangeAllocator } from './range-allocator.ts';

/** What services get from the cluster. */
export interface ServiceAllocators {
  /** By family, the default one first. */
  readonly clusterIps: ReadonlyMap<IpFamily, RangeAllocator<string>>;
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

/** Throws where the ranges are malformed, none, more than two, or of the same family. */
export function openServiceAllocators(store: Store, ranges: ServiceRanges, random?: () => number): ServiceAllocators {
  const clusterIps = new Map<IpFamily, RangeAllocator<string>>();
  if (ranges.clusterIps.length < 1 || ranges.clusterIps.length > IP_KEYS.length) throw new Error('one or two service IP ranges are needed');
  for (const [i, cidr] of ranges.clusterIps.entries()) {
    const family: IpFamily = cidr.includes(':') ? 'IPv6' : 'IPv4';
    if (clusterIps.has(family)) throw new Error('the two service IP ranges must be of different families');
    clusterIps.set(family, new RangeAllocator({ store, key: IP_KEYS[i]!, range: clusterIpRange(cidr), ...(random === undefined ? {} : { random }) }));
  }
  const { low, high } = ranges.nodePorts;
  const nodePorts = new RangeAllocator({ store, key: PORT_KEY, range: nodePortRange(low, high), ...(random === undefined ? {} : { random }) });
  return { clusterIps, nodePorts };
}
