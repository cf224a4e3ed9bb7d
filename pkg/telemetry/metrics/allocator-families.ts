import type { AllocationCount, AllocationScope, RangeAllocator } from '../../registry/allocators/range-allocator.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

const PREFIX = 'kube_apiserver_clusterip_allocator';
const scopes: readonly AllocationScope[] = ['dynamic', 'static'];

export type MeasuredAllocator = Pick<RangeAllocator<string>, 'counts' | 'range' | 'usage'>;

/** How the cluster IPs are used, read when asked. */
export function allocatorFamilies(allocators: () => readonly MeasuredAllocator[]): readonly MetricFamily[] {
  const used = (figure: 'taken' | 'free') => (): Sample[] =>
    allocators().flatMap(({ range, usage }) => (usage === undefined ? [] : [{ labels: { cidr: range.text }, value: usage[figure] }]));
  const counted = (figure: keyof AllocationCount) => (): Sample[] => allocators().flatMap(({ range, counts }) =>
    scopes.filter((scope) => counts[scope][figure] > 0).map((scope) => ({ labels: { cidr: range.text, scope }, value: counts[scope][figure] })));
  return [
    { name: `${PREFIX}_allocated_ips`, type: 'gauge', help: 'Cluster IPs that services have, by range.', samples: used('taken') },
    { name: `${PREFIX}_available_ips`, type: 'gauge', help: 'Cluster IPs that are free, by range.', samples: used('free') },
    { name: `${PREFIX}_allocation_total`, type: 'counter', help: 'Cluster IPs that this server gave out; static: the service named it.', samples: counted('allocated') },
    { name: `${PREFIX}_allocation_errors_total`, type: 'counter', help: 'Cluster IPs that this server could not give out.', samples: counted('failed') },
  ];
}
