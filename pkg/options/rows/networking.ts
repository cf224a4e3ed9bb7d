import { parseCidr, type Cidr } from '../../apimachinery/names/ip.ts';
import { oneOf, port, positive } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** Addresses that the server allocates, and its own in the cluster. */
export const networkingOptions = optionGroup('Cluster network', [
  {
    name: 'service-cluster-ip-range',
    type: 'ipNet',
    default: '10.0.0.0/24',
    check: clusterIpRanges,
    help: 'Range from which services get their cluster IPs; must not overlap with those of pods. A second one, of IPv6 where the first is of IPv4 or the other way round, may follow behind a comma',
  },
  {
    name: 'service-node-port-range',
    type: 'portRange',
    default: '30000-32767',
    check: portRange,
    help: 'Ports for services of type NodePort, both ends included',
  },
  {
    name: 'cluster-service-node-port',
    aliases: ['kubernetes-service-node-port'],
    type: 'int',
    default: '0',
    check: port,
    help: 'When not 0, the kubernetes service is a NodePort on this port',
  },
  {
    name: 'apiserver-count',
    type: 'int',
    default: '1',
    check: positive,
    help: 'Number of API servers, for the reconciler master-count',
  },
  {
    name: 'endpoint-reconciler-type',
    type: 'string',
    default: 'lease',
    check: oneOf('lease', 'master-count', 'none'),
    help: 'How the endpoints of the kubernetes service are kept: lease, master-count or none',
  },
  {
    name: 'master-service-namespace',
    type: 'string',
    default: 'default',
    deprecated: 'the services are in the namespace default',
    inert: 'node agents choose what they inject',
    help: 'Namespace whose services are injected into the environment of pods',
  },
  {
    name: 'enable-aggregator-routing',
    type: 'bool',
    default: 'false',
    help: 'Calls to services, such as those of webhooks, go to the addresses of their endpoints, not to the cluster IP',
  },
]);

/** One range, or one of each family. */
function clusterIpRanges(value: string): string | undefined {
  const ranges = value.split(',').map((text) => parseCidr(text)!);
  if (ranges.length > 2 || (ranges.length === 2 && ranges[0]!.base.length === ranges[1]!.base.length))
    return 'must be one range, or one of IPv4 and one of IPv6';
  return ranges.map(clusterIpRange).find((problem) => problem !== undefined);
}

/**
 * Every address of the range may be allocated: it must hold enough, and not more than can be tracked; of IPv6 ranges
 * few are.
 */
function clusterIpRange({ base, prefixBits }: Cidr): string | undefined {
  const hostBits = base.length * 8 - prefixBits;
  if (hostBits < 3) return 'must hold at least 8 addresses';
  const hostBitsMax = base.length === 16 ? 64 : 20;
  return hostBits > hostBitsMax ? `must not be larger than /${base.length * 8 - hostBitsMax}` : undefined;
}

function portRange(value: string): string | undefined {
  const [low, high] = value.split('-').map(Number) as [number, number];
  return low >= 1 && low <= high && high <= 65535 ? undefined : 'must go from a lower to a higher port, at most 65535';
}
