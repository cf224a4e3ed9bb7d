import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';
import type { SliceChanges } from './slice-changes.ts';

const PER_SYNC = exponentialBuckets(2, 2, 15);

/** What the slices of one service or Endpoints were brought to. */
export interface SyncedSlices {
  readonly existing: readonly EndpointSlice[];
  readonly changes: SliceChanges;
  readonly endpointsMax: number;
}

export interface SliceMetrics {
  /** How many endpoints came, went and changed. */
  readonly synced: (key: string, slices: SyncedSlices) => { readonly changed: number; readonly updated: number };
  readonly forget: (key: string) => void;
}

interface Figures {
  readonly endpoints: number;
  readonly slices: number;
  readonly desired: number;
}

/** The metrics that both controllers of slices have; `prefix`: the controller in the names. */
export function sliceMetrics(metrics: ControllerMetrics, prefix: string): SliceMetrics {
  const operations = metrics.counter({
    name: `${prefix}_changes`,
    help: 'Writes of EndpointSlices.',
    labels: ['operation'],
  });
  const added = metrics.histogram({
    name: `${prefix}_endpoints_added_per_sync`,
    help: 'Endpoints that one reconcile adds.',
    buckets: PER_SYNC,
  });
  const removed = metrics.histogram({
    name: `${prefix}_endpoints_removed_per_sync`,
    help: 'Endpoints that one reconcile removes.',
    buckets: PER_SYNC,
  });
  const gauge = (name: string, help: string): ((value: number) => void) => {
    const made = metrics.gauge({ name: `${prefix}_${name}`, help });
    return (value) => made.set(value);
  };
  const showEndpoints = gauge('endpoints_desired', 'Endpoints that all slices are to have.');
  const showSlices = gauge('num_endpoint_slices', 'EndpointSlices.');
  const showDesired = gauge('desired_endpoint_slices', 'EndpointSlices that would do, were each as full as it can be.');
  const known = new Map<string, Figures>();
  let [endpoints, slices, desired] = [0, 0, 0];
  const replace = (key: string, next: Figures | undefined): void => {
    const before = known.get(key);
    endpoints += (next?.endpoints ?? 0) - (before?.endpoints ?? 0);
    slices += (next?.slices ?? 0) - (before?.slices ?? 0);
    desired += (next?.desired ?? 0) - (before?.desired ?? 0);
    if (next === undefined) known.delete(key);
    else known.set(key, next);
    showEndpoints(endpoints);
    showSlices(slices);
    showDesired(desired);
  };
  return {
    synced(key, { existing, changes, endpointsMax }) {
      const { create, update, remove } = changes;
      for (const [operation, { length }] of Object.entries({ create, update, delete: remove }))
        if (length > 0) operations.add(length, { operation });
      const touched = new Set([...update, ...remove].map(({ metadata }) => metadata.name));
      const before = endpointsOf(existing.filter(({ metadata }) => touched.has(metadata.name)));
      const after = endpointsOf([...create, ...update]);
      const came = [...after.keys()].filter((address) => !before.has(address)).length;
      const stayed = after.size - came;
      added.observe(came);
      removed.observe(before.size - stayed);
      const left = [...existing.filter(({ metadata }) => !touched.has(metadata.name)), ...update, ...create];
      const total = left.reduce((sum, slice) => sum + (slice.endpoints ?? []).length, 0);
      replace(key, { endpoints: total, slices: left.length, desired: Math.max(1, Math.ceil(total / endpointsMax)) });
      return { changed: create.length + update.length + remove.length, updated: stayed };
    },
    forget: (key) => replace(key, undefined),
  };
}

/** By type and address. */
function endpointsOf(slices: readonly EndpointSlice[]): ReadonlySet<string> {
  return new Set(
    slices.flatMap(({ addressType, endpoints }) =>
      (endpoints ?? []).map(({ addresses }) => `${addressType} ${(addresses ?? []).join()}`),
    ),
  );
}
