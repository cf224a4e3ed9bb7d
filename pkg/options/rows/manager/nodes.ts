import { parseCidr } from '../../../apimachinery/names/ip.ts';
import { longerThanZero, notNegative, oneOf } from '../../checks.ts';
import { managerGroup } from './manager-group.ts';

/** Nodes, their ranges of pod addresses, and what happens when they fail. */
export const managerNodesOptions = managerGroup('Nodes', [
  {
    name: 'node-monitor-period',
    type: 'duration',
    default: '5s',
    check: longerThanZero,
    help: 'Time between two looks at the state of nodes',
  },
  {
    name: 'node-monitor-grace-period',
    type: 'duration',
    default: '40s',
    check: longerThanZero,
    help: 'A node that has not reported for this time is not ready',
  },
  {
    name: 'node-startup-grace-period',
    type: 'duration',
    default: '1m0s',
    check: longerThanZero,
    help: 'The same for a node that has never reported',
  },
  {
    name: 'pod-eviction-timeout',
    type: 'duration',
    default: '5m0s',
    inert: 'pods are evicted by taints, after the seconds of their tolerations',
    help: 'Pods are deleted from a node that has failed for this time, where taints do not evict them',
  },
  {
    name: 'node-eviction-rate',
    type: 'float32',
    default: '0.1',
    check: notNegative,
    help: 'Failed nodes per second whose pods are evicted, in a zone that is well',
  },
  {
    name: 'secondary-node-eviction-rate',
    type: 'float32',
    default: '0.01',
    check: notNegative,
    help: 'The same in a zone that is unhealthy; 0 in clusters that are not large',
  },
  {
    name: 'large-cluster-size-threshold',
    type: 'int',
    default: '50',
    check: notNegative,
    help: 'A cluster with more nodes is large',
  },
  {
    name: 'unhealthy-zone-threshold',
    type: 'float32',
    default: '0.55',
    check: share,
    help: 'A zone is unhealthy when this share of its nodes, and three at least, are not ready',
  },
  {
    name: 'enable-taint-manager',
    type: 'bool',
    default: 'true',
    help: 'Evict pods that do not tolerate a NoExecute taint of their node',
  },
  {
    name: 'allocate-node-cidrs',
    type: 'bool',
    default: 'false',
    help: 'Give each node a range of pod addresses; needs --cluster-cidr',
  },
  {
    name: 'cluster-cidr',
    type: 'string',
    check: podRanges,
    help: 'Range, or one of each family, from which nodes get their pod addresses; needs --allocate-node-cidrs',
  },
  {
    name: 'node-cidr-mask-size',
    type: 'int',
    default: '24',
    check: maskSize,
    help: 'Size of the range of one node, as the length of its prefix, in a cluster with one family; without it 64 for IPv6',
  },
  {
    name: 'node-cidr-mask-size-ipv4',
    type: 'int',
    default: '0',
    check: maskSize,
    help: 'The same for IPv4, also in a cluster with both families; 0: 24',
  },
  {
    name: 'node-cidr-mask-size-ipv6',
    type: 'int',
    default: '0',
    check: maskSize,
    help: 'The same for IPv6, also in a cluster with both families; 0: 64',
  },
  {
    name: 'cidr-allocator-type',
    type: 'string',
    default: 'RangeAllocator',
    check: oneOf('RangeAllocator', 'CloudAllocator', 'IPAMFromCluster', 'IPAMFromCloud'),
    help: 'How ranges are given to nodes: RangeAllocator here, CloudAllocator by the cloud',
  },
  {
    name: 'configure-cloud-routes',
    type: 'bool',
    default: 'true',
    help: 'Make routes to the ranges of nodes at the cloud provider',
  },
  {
    name: 'route-reconciliation-period',
    type: 'duration',
    default: '10s',
    check: longerThanZero,
    help: 'Time between two looks at these routes',
  },
]);

function share(value: string): string | undefined {
  return Number(value) >= 0 && Number(value) <= 1 ? undefined : 'must be from 0 to 1';
}

function maskSize(value: string): string | undefined {
  return Number(value) >= 0 && Number(value) <= 128 ? undefined : 'must be from 0 to 128';
}

/** One range, or one of each family. */
function podRanges(value: string): string | undefined {
  const ranges = value.split(',').map((text) => parseCidr(text.trim()));
  const families = new Set(ranges.map((range) => range?.base.length));
  if (families.has(undefined)) return 'must be a range such as 10.244.0.0/16';
  return families.size === ranges.length ? undefined : 'must be one range, or one of IPv4 and one of IPv6';
}
