import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';
import type { CidrSet } from './cidr-set.ts';

export interface RangeMetrics {
  readonly allocated: (set: CidrSet) => void;
  readonly released: (set: CidrSet) => void;
}

const LABELS = ['clusterCIDR'] as const;

export function rangeMetrics(metrics: ControllerMetrics, sets: readonly CidrSet[]): RangeMetrics {
  const labelsOf = ({ range }: CidrSet): { readonly clusterCIDR: string } => ({ clusterCIDR: range });
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `node_ipam_controller_${name}`, help, labels: LABELS });
  const allocations = counter('cidrset_cidrs_allocations_total', 'Ranges that nodes were given.');
  const releases = counter('cidrset_cidrs_releases_total', 'Ranges that are free again.');
  const tries = metrics.histogram({
    name: 'node_ipam_controller_cidrset_allocation_tries_per_request',
    help: 'Attempts until a free range was found.',
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
    allocated(set) {
      allocations.increment(labelsOf(set));
      // Taken ranges are known: there is one attempt.
      tries.observe(1, labelsOf(set));
    },
    released: (set) => releases.increment(labelsOf(set)),
  };
}
