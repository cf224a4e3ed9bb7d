import type { ControllerMetrics, Counter, Histogram } from '../controller-metrics.ts';

/** From 5 ms to 4 minutes. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

export interface EvictionMetrics {
  readonly deletions: Counter;
  /** Seconds from the time at which a pod was to go. */
  readonly delays: Histogram;
}

/** `prefix`: the controller in the names. */
export function evictionMetrics(metrics: ControllerMetrics, prefix: string): EvictionMetrics {
  return {
    deletions: metrics.counter({ name: `${prefix}_pod_deletions_total`, help: 'Pods that the controller deleted.' }),
    delays: metrics.histogram({
      name: `${prefix}_pod_deletion_duration_seconds`,
      help: 'Time from when a taint was to evict a pod until the pod was deleted.',
      buckets: BUCKETS,
    }),
  };
}
