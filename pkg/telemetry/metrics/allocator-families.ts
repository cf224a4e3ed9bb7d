import type { AllocationCount, AllocationCounts, AllocationScope } from '../../registry/allocators/allocator.ts';
import { durationView } from './histogram-series.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

const PREFIX = 'kube_apiserver_clusterip_allocator';
const PORT_PREFIX = 'kube_apiserver_nodeport_allocator';
const scopes: readonly AllocationScope[] = ['dynamic', 'static'];

/** The range of node ports. */
export interface MeasuredPorts {
  readonly range: { readonly size: number };
  readonly takenCount: number;
  readonly counts: AllocationCounts;
}

/** A range of cluster IPs. */
export interface MeasuredRange {
  readonly range: { readonly text: string; readonly size: number };
  readonly taken: number;
  readonly counts: AllocationCounts;
}

/** The use of the cluster IPs, read at each scrape. */
export function allocatorFamilies(ranges: () => readonly MeasuredRange[]): readonly MetricFamily[] {
  const used = (figure: (measured: MeasuredRange) => number) => (): Sample[] =>
    ranges().map((measured) => ({ labels: { cidr: measured.range.text }, value: figure(measured) }));
  const counted = (figure: keyof AllocationCount) => (): Sample[] =>
    ranges().flatMap(({ range, counts }) =>
      scopes
        .filter((scope) => counts[scope][figure] > 0)
        .map((scope) => ({ labels: { cidr: range.text, scope }, value: counts[scope][figure] })),
    );
  return [
    {
      name: `${PREFIX}_allocated_ips`,
      type: 'gauge',
      help: 'Cluster IPs that services have, by range.',
      samples: used(({ taken }) => taken),
    },
    {
      name: `${PREFIX}_available_ips`,
      type: 'gauge',
      help: 'Cluster IPs that are free, by range.',
      samples: used(({ range, taken }) => range.size - taken),
    },
    {
      name: `${PREFIX}_allocation_total`,
      type: 'counter',
      help: 'Cluster IPs that this server gave out; static: the service named it.',
      samples: counted('allocated'),
    },
    {
      name: `${PREFIX}_allocation_duration_seconds`,
      type: 'histogram',
      help: 'Time that it took to give out a cluster IP, by range.',
      series: () =>
        ranges()
          .filter(({ counts }) => counts.times.sum > 0)
          .map(({ range, counts }) => durationView({ cidr: range.text }, counts.times)),
    },
    {
      name: `${PREFIX}_allocation_errors_total`,
      type: 'counter',
      help: 'Cluster IPs that this server could not give out.',
      samples: counted('failed'),
    },
  ];
}

/** The use of the node ports, read at each scrape; none before the server is attached. */
export function nodePortFamilies(ports: () => MeasuredPorts | undefined): readonly MetricFamily[] {
  const used = (figure: (measured: MeasuredPorts) => number) => (): Sample[] => {
    const measured = ports();
    return measured === undefined ? [] : [{ labels: {}, value: figure(measured) }];
  };
  const counted = (figure: keyof AllocationCount) => (): Sample[] => {
    const counts = ports()?.counts;
    return counts === undefined
      ? []
      : scopes
          .filter((scope) => counts[scope][figure] > 0)
          .map((scope) => ({ labels: { scope }, value: counts[scope][figure] }));
  };
  return [
    {
      name: `${PORT_PREFIX}_allocated_ports`,
      type: 'gauge',
      help: 'Node ports that services have.',
      samples: used(({ takenCount }) => takenCount),
    },
    {
      name: `${PORT_PREFIX}_available_ports`,
      type: 'gauge',
      help: 'Node ports that are free.',
      samples: used(({ range, takenCount }) => range.size - takenCount),
    },
    {
      name: `${PORT_PREFIX}_allocation_total`,
      type: 'counter',
      help: 'Node ports that this server gave out; static: the service named it.',
      samples: counted('allocated'),
    },
    {
      name: `${PORT_PREFIX}_allocation_errors_total`,
      type: 'counter',
      help: 'Node ports that this server could not give out.',
      samples: counted('failed'),
    },
  ];
}
