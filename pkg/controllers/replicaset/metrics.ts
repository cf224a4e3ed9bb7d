import type { Pod } from '../../generated/types/core-v1.ts';
import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';
import { isReady } from '../owned/pod-state.ts';

export type DeletionObserver = (pods: readonly Pod[], chosen: readonly Pod[], nowMs: number) => void;

/** Observes how old the pods are that a set gives up, beside its youngest one: of those that are ready. */
export function deletionMetrics(metrics: ControllerMetrics): DeletionObserver {
  const ratios = metrics.histogram({
    name: 'replicaset_controller_sorting_deletion_age_ratio',
    help: 'Age of a pod that is deleted as its set has too many, by the age of the youngest pod. Should be below 2.',
    buckets: exponentialBuckets(0.25, 2, 6),
  });
  return (pods, chosen, nowMs) => {
    const ageMs = ({ metadata }: Pod): number => nowMs - Date.parse(metadata.creationTimestamp ?? '');
    const youngestMs = pods.filter(isReady).reduce((least, pod) => Math.min(least, ageMs(pod)), Infinity);
    for (const pod of chosen.filter(isReady)) {
      const ratio = ageMs(pod) / youngestMs;
      if (Number.isFinite(ratio)) ratios.observe(ratio);
    }
  };
}
