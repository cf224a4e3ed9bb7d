import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { IndexSet } from './index-set.ts';
import { finishedAtMs, indexOf, isFailed, isTracked } from './job-pods.ts';
import { podFailure } from './pod-failure-rules.ts';

/** How many pods of its index have failed before a pod, and how many more the failure policy ignored (KEP-3850). */
const INDEX_FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
const INDEX_IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** The indexes that have failed: those of the status, and those of pods that it does not count yet. */
export function failedIndexes(job: Job, pods: readonly Pod[]): IndexSet {
  const failed = pods.flatMap((pod) => {
    const index = indexOf(pod, job);
    return index !== undefined && isTracked(pod) && failsIndex(job, pod) ? [index] : [];
  });
  return IndexSet.parse(job.status.failedIndexes, job.spec.completions ?? 0).with(IndexSet.of(failed));
}

function failsIndex(job: Job, pod: Pod): boolean {
  if (!isFailed(pod, job)) return false;
  const { counts, action } = podFailure(job, pod);
  return (
    action === 'FailIndex' || (counts && countOf(pod, INDEX_FAILURE_COUNT) >= (job.spec.backoffLimitPerIndex ?? 0))
  );
}

/**
 * The last failed pod of each index that waits for another: it keeps its finalizer until there is one, since its
 * annotations carry the count.
 */
export function podsToReplace(
  job: Job,
  newlyEnded: readonly Pod[],
  isSettled: (index: number) => boolean,
): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of newlyEnded) {
    const index = indexOf(pod, job);
    if (index === undefined || isSettled(index) || !isFailed(pod, job)) continue;
    const known = last.get(index);
    if (known === undefined || isLater(pod, known)) last.set(index, pod);
  }
  return last;
}

function isLater(pod: Pod, other: Pod): boolean {
  return allFailures(other) <= allFailures(pod) && finishedAtMs(pod) >= finishedAtMs(other);
}

/** Of the index of a pod, without the failure of the pod itself. */
export function allFailures(pod: Pod): number {
  return countOf(pod, INDEX_FAILURE_COUNT) + countOf(pod, INDEX_IGNORED_FAILURE_COUNT);
}

/** The annotations that count failures for the pod which comes after a failed one. */
export function failureCountAnnotations(job: Job, failed: Pod | undefined): Record<string, string> {
  if (failed === undefined) return { [INDEX_FAILURE_COUNT]: '0' };
  const { counts } = podFailure(job, failed);
  const ignored = countOf(failed, INDEX_IGNORED_FAILURE_COUNT) + (counts ? 0 : 1);
  return {
    [INDEX_FAILURE_COUNT]: String(countOf(failed, INDEX_FAILURE_COUNT) + (counts ? 1 : 0)),
    ...(ignored === 0 ? {} : { [INDEX_IGNORED_FAILURE_COUNT]: String(ignored) }),
  };
}

function countOf({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : 0;
}
