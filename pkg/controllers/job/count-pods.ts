import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Job, JobCondition, JobStatus } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { withoutZeros } from '../owned/without-zeros.ts';
import { withCondition } from './conditions.ts';
import { finalCondition } from './job-end.ts';
import { indexOf, isFailed, isIndexed, isSucceeded, isTracked } from './job-pods.ts';
import type { JobState } from './job-state.ts';
import { podFailure } from './pod-failure-rules.ts';

/** Pods that one status names as not counted yet, at most: it has to stay small. */
const UNCOUNTED_MAX = 500;

export interface CountSteps {
  /** Writes the status; resolves with what is stored then. */
  readonly writeStatus: (job: Job) => Promise<Job>;
  readonly removeFinalizer: (pod: Pod) => Promise<void>;
  /** The ended pods are in the status. */
  readonly recordFailures: () => void;
  readonly now: () => string;
}

/** The pods to count next, with their finalizers to remove. */
interface Ended {
  readonly pods: readonly Pod[];
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  /** More are there than fit into a status. */
  readonly isPartial: boolean;
}

/**
 * Counts ended pods so that none is lost or counted twice, whatever fails in between: their uids go into the status,
 * their finalizers go, then the uids become numbers. `end` announces the job's end; resolves with the final condition
 * once the job has it.
 */
export async function countPods(
  state: JobState,
  status: JobStatus,
  end: JobCondition | undefined,
  steps: CountSteps,
): Promise<{ job: Job; final: JobCondition | undefined }> {
  const ended = endedPods(state, end);
  const tracked = new Set(state.pods.filter(isTracked).map(({ metadata }) => metadata.uid!));
  let job = await write(state.job, withUids(countUids(status, tracked), ended, state, end), steps);
  steps.recordFailures();
  const results = await Promise.allSettled(ended.pods.map((pod) => steps.removeFinalizer(pod)));
  for (const [i, { metadata }] of ended.pods.entries())
    if (results[i]!.status === 'fulfilled') tracked.delete(metadata.uid!);
  const failure = results.find((result) => result.status === 'rejected');
  let counted = countUids(job.status, tracked);
  const { succeeded = [], failed = [] } = counted.uncountedTerminatedPods ?? {};
  const isOver = end !== undefined && !ended.isPartial && succeeded.length + failed.length === 0;
  const final = isOver && (counted.terminating ?? 0) === 0 ? finalCondition(end, endTime(job, steps.now())) : undefined;
  if (final !== undefined && failure === undefined) {
    const conditions = withCondition(counted.conditions ?? [], final) ?? counted.conditions ?? [];
    const completed = final.type === 'Complete' ? { completionTime: final.lastTransitionTime! } : {};
    counted = { ...counted, conditions, ...completed };
  }
  job = await write(job, counted, steps);
  if (failure !== undefined) throw failure.reason;
  return { job, final };
}

/** The server rejects an end before the start, which a clock that was set back would name. */
function endTime({ status: { startTime = '' } }: Job, now: string): string {
  return Date.parse(startTime) > Date.parse(now) ? startTime : now;
}

function write(job: Job, status: JobStatus, steps: CountSteps): Promise<Job> {
  const shown = withoutZeros(status, ['ready', 'terminating']);
  return deepEqual(shown, job.status) ? Promise.resolve(job) : steps.writeStatus({ ...job, status: shown });
}

function endedPods(state: JobState, end: JobCondition | undefined): Ended {
  const { job, pods, newlySucceeded, newlyFailed } = state;
  const uncounted = job.status.uncountedTerminatedPods ?? {};
  const succeededPods = new Set(newlySucceeded);
  const failedPods = new Set(newlyFailed);
  const isFailure = end?.type === 'FailureTarget';
  const known = new Set([...(uncounted.failed ?? []), ...(uncounted.succeeded ?? [])]);
  const [removed, succeeded, failed]: [Pod[], string[], string[]] = [[], [], []];
  let count = known.size;
  for (const pod of pods) {
    if (!isTracked(pod) || !mayGo(state, pod, end)) continue;
    if (count >= UNCOUNTED_MAX) return { pods: removed, succeeded, failed, isPartial: true };
    removed.push(pod);
    const { uid } = pod.metadata;
    // By a failure everything that has not ended fails with the job.
    const fails = failedPods.has(pod) || (isFailure && !isSucceeded(pod) && !known.has(uid!) && hasPlace(job, pod));
    if (succeededPods.has(pod)) {
      count++;
      if (!isIndexed(job)) succeeded.push(uid!);
    } else if (fails && podFailure(job, pod).counts) {
      count++;
      failed.push(uid!);
    }
  }
  return { pods: removed, succeeded, failed, isPartial: false };
}

function hasPlace(job: Job, pod: Pod): boolean {
  return !isIndexed(job) || indexOf(pod, job) !== undefined;
}

function mayGo({ job, toReplace }: JobState, pod: Pod, end: JobCondition | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || end !== undefined || isSucceeded(pod)) return true;
  if (!isFailed(pod, job)) return false;
  const index = indexOf(pod, job);
  return index === undefined || toReplace.get(index)?.metadata.uid !== pod.metadata.uid;
}

/** The status with the uids of ended pods, the indexes and the announcement of the end. */
function withUids(status: JobStatus, ended: Ended, state: JobState, end: JobCondition | undefined): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const { conditions = [] } = status;
  const announced =
    end !== undefined && !conditions.some(({ type }) => type === end.type) ? [...conditions, end] : conditions;
  return {
    ...status,
    ...(isIndexed(state.job) ? indexStatus(state) : {}),
    uncountedTerminatedPods: uncountedOf([...succeeded, ...ended.succeeded], [...failed, ...ended.failed]),
    ...(announced.length === 0 ? {} : { conditions: announced }),
  };
}

function indexStatus({ job, succeededIndexes, failedIndexes }: JobState): Partial<JobStatus> {
  const completedIndexes = succeededIndexes.toString();
  return {
    succeeded: succeededIndexes.size,
    ...(completedIndexes === '' && (job.status.completedIndexes ?? '') === '' ? {} : { completedIndexes }),
    ...(failedIndexes === undefined ? {} : { failedIndexes: failedIndexes.toString() }),
  };
}

/** Turns uids of pods whose finalizer is gone into numbers. */
function countUids(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const [succeededLeft, failedLeft] = [succeeded, failed].map((uids) => uids.filter((uid) => tracked.has(uid)));
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - succeededLeft!.length,
    failed: (status.failed ?? 0) + failed.length - failedLeft!.length,
    uncountedTerminatedPods: uncountedOf(succeededLeft!, failedLeft!),
  };
}

function uncountedOf(succeeded: string[], failed: string[]): NonNullable<JobStatus['uncountedTerminatedPods']> {
  return { ...(succeeded.length === 0 ? {} : { succeeded }), ...(failed.length === 0 ? {} : { failed }) };
}
