import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isActive } from '../owned/pod-state.ts';
import { IndexSet } from './index-set.ts';
import { failedIndexes, podsToReplace } from './index-failures.ts';
import { indexOf, isFailed, isIndexed, isSucceeded, isTracked } from './job-pods.ts';
import { podFailure } from './pod-failure-rules.ts';

/** A job with what its pods say. */
export interface JobState {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  /** Ended pods that the status does not know yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Empty for jobs without indexes. */
  readonly succeededIndexes: IndexSet;
  /** Undefined without a limit for each index. */
  readonly failedIndexes: IndexSet | undefined;
  /** Failed pods by their index, which waits for another pod. */
  readonly toReplace: ReadonlyMap<number, Pod>;
}

export function jobState(job: Job, pods: readonly Pod[]): JobState {
  const { spec, status } = job;
  const uncounted = status.uncountedTerminatedPods ?? {};
  const indexed = isIndexed(job);
  const active = pods.filter(isActive);
  /** Pods without the finalizer are counted. */
  const uncountedPods = pods.filter((pod) => isTracked(pod) && (!indexed || indexOf(pod, job) !== undefined));
  const isNew = (uids: readonly string[] | undefined): ((pod: Pod) => boolean) => {
    const known = new Set(uids);
    return ({ metadata }) => !known.has(metadata.uid!);
  };
  const newlySucceeded = uncountedPods.filter(isSucceeded).filter(isNew(uncounted.succeeded));
  const allFailed = uncountedPods.filter((pod) => isFailed(pod, job));
  const newlyFailed = allFailed.filter(isNew(uncounted.failed));
  const succeededIndexes = indexed ? indexesSucceeded(job, pods) : IndexSet.empty;
  const failed = indexed && spec.backoffLimitPerIndex !== undefined ? failedIndexes(job, pods) : undefined;
  return {
    job,
    pods,
    active,
    newlySucceeded,
    newlyFailed,
    succeeded: indexed
      ? succeededIndexes.size
      : (status.succeeded ?? 0) + newlySucceeded.length + (uncounted.succeeded?.length ?? 0),
    failed:
      (status.failed ?? 0) +
      newlyFailed.filter((pod) => podFailure(job, pod).counts).length +
      (uncounted.failed?.length ?? 0),
    succeededIndexes,
    failedIndexes: failed,
    toReplace: failed === undefined ? new Map() : waitingIndexes(job, active, allFailed, succeededIndexes.with(failed)),
  };
}

function indexesSucceeded(job: Job, pods: readonly Pod[]): IndexSet {
  const fresh = pods.flatMap((pod) => (isSucceeded(pod) && isTracked(pod) ? (indexOf(pod, job) ?? []) : []));
  return IndexSet.parse(job.status.completedIndexes, job.spec.completions ?? 0).with(IndexSet.of(fresh));
}

function waitingIndexes(
  job: Job,
  active: readonly Pod[],
  failed: readonly Pod[],
  ended: IndexSet,
): ReadonlyMap<number, Pod> {
  const running = new Set(active.map((pod) => indexOf(pod, job)));
  return podsToReplace(job, failed, (index) => running.has(index) || ended.has(index));
}
