import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';
import type { CidrSet } from './cidr-set.ts';

export interface RangeMetrics {
  readonly allocated: (set: CidrSet, count: number) => void;
  readonly released: (set: CidrSet, count: number) => void;
  /** Taken ranges that were looked at before a free one was found. */
  readonly skipped: (set: CidrSet, count: number) => void;
}

const LABELS = ['clusterCIDR'] as const;

export function rangeMetrics(metrics: ControllerMetrics, sets: readonly CidrSet[]): RangeMetrics {
  const labelsOf = ({ range }: CidrSet): { readonly clusterCIDR: string } => ({ clusterCIDR: range });
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `node_ipam_controller_${name}`, help, labels: LABELS });
  const allocations = counter('cidrset_cidrs_allocations_total', 'Ranges that became taken.');
  const releases = counter('cidrset_cidrs_releases_total', 'Ranges that are free again.');
  const tries = metrics.histogram({
    name: 'node_ipam_controller_cidrset_allocation_tries_per_request',
    help: 'Taken ranges that were looked at until a free one was found.',
    labels: LABELS,
    buckets: exponentialBuckets(1, 5, 5),
  });
  const gauge = (name: string, help: string, value: (set: CidrSet) => number): void =>
    metrics.readGauge({ name: `node_ipam_controller_${name}`, help, labels: LABELS }, () =>
      sets.map((set) => ({ labels: labelsOf(set), value: value(set) })),
    );
  gauge('cidrset_usage_cidrs', 'Share of the ranges that are taken.', ({ figures }) => figures.taken / figures.count);
  // Dashboards know the name as it is spelt here.
  gauge('cirdset_max_cidrs', 'Ranges that nodes can be given at most.', ({ figures }) => figures.count);
  return {
    allocated: (set, count) => allocations.add(count, labelsOf(set)),
    released: (set, count) => releases.add(count, labelsOf(set)),
    skipped: (set, count) => tries.observe(count, labelsOf(set)),
  };
}
