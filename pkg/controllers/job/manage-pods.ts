import { isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { slowStart } from '../../client/reconcile/slow-start.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { NewPod } from '../owned/pod-control.ts';
import { isTerminating } from '../owned/pod-state.ts';
import { allFailures } from './index-failures.ts';
import { IndexSet } from './index-set.ts';
import { finishedAtMs, indexOf, isIndexed, isSuspended, replacesOnlyFailed } from './job-pods.ts';
import type { JobState } from './job-state.ts';
import { newPod } from './new-pod.ts';
import { type FailureRecord, waitMs } from './pod-backoff.ts';
import { podsToRemove } from './pods-to-remove.ts';

/** Pods that one reconcile creates or deletes at most. */
const BURST = 500;

export interface PodSteps {
  readonly createPod: (pod: NewPod) => Promise<void>;
  /** Takes the job's finalizer first: the pod is not to be counted. */
  readonly dropPod: (pod: Pod) => Promise<void>;
}

export interface ManagedPods {
  /** Active pods, after what was done. */
  readonly active: number;
  /** Of those that were active, how many are being deleted now. */
  readonly dropped?: number;
  /** Milliseconds until failed pods are to be replaced. */
  readonly againMs?: number;
  readonly failure?: unknown;
}

/** Creates or deletes pods until as many are active as the job wants now. */
export async function managePods(
  state: JobState,
  record: FailureRecord,
  nowMs: number,
  steps: PodSteps,
): Promise<ManagedPods> {
  const active = state.active.length;
  const wanted = wantedPods(state);
  const surplus = podsToRemove(state.job, state.active, Math.max(0, active - wanted)).slice(
    0,
    isSuspended(state.job) ? active : BURST,
  );
  if (surplus.length > 0) {
    const results = await Promise.allSettled(surplus.map((pod) => steps.dropPod(pod)));
    const failures = results.filter((result) => result.status === 'rejected');
    const dropped = surplus.length - failures.length;
    return { active: active - dropped, dropped, failure: failures[0]?.reason };
  }
  const terminating = replacesOnlyFailed(state.job) ? state.pods.filter(isTerminating).length : 0;
  const missing = Math.min(wanted - terminating - active, BURST);
  return missing > 0 ? createPods(state, missing, record, nowMs, steps) : { active };
}

function wantedPods({ job, active, succeeded }: JobState): number {
  const { parallelism = 1, completions } = job.spec;
  if (isSuspended(job)) return 0;
  // A work queue is about to be empty when a pod has succeeded: the others end by themselves.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

async function createPods(
  state: JobState,
  count: number,
  record: FailureRecord,
  nowMs: number,
  steps: PodSteps,
): Promise<ManagedPods> {
  const { job, active, toReplace } = state;
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  const wait = perIndex ? 0 : waitMs(record, nowMs);
  if (wait > 0) return { active: active.length, againMs: wait };
  let indexes = isIndexed(job) ? pendingIndexes(state, count) : undefined;
  if (perIndex && indexes !== undefined) {
    const waits = new Map(indexes.map((index) => [index, indexWaitMs(toReplace.get(index), nowMs)]));
    indexes = indexes.filter((index) => waits.get(index) === 0);
    if (indexes.length === 0)
      return { active: active.length, ...(waits.size === 0 ? {} : { againMs: Math.min(...waits.values()) }) };
  }
  const { succeeded, error } = await slowStart(indexes?.length ?? count, async (i) => {
    const index = indexes?.[i];
    try {
      await steps.createPod(newPod(job, index, index === undefined ? undefined : toReplace.get(index)));
    } catch (failure) {
      // Nothing can be created there any more; what is there is deleted.
      if (!isNamespaceTerminating(failure)) throw failure;
    }
  });
  return { active: active.length + succeeded, failure: error };
}

function pendingIndexes({ job, pods, active, succeededIndexes, failedIndexes }: JobState, count: number): number[] {
  const taken = replacesOnlyFailed(job) ? [...active, ...pods.filter(isTerminating)] : active;
  const present = IndexSet.of(taken.flatMap((pod) => indexOf(pod, job) ?? []));
  const done = succeededIndexes.with(failedIndexes ?? IndexSet.empty);
  return done.with(present).firstMissing(count, job.spec.completions ?? 0);
}

function indexWaitMs(failed: Pod | undefined, nowMs: number): number {
  if (failed === undefined) return 0;
  return waitMs({ failures: allFailures(failed) + 1, lastMs: finishedAtMs(failed) }, nowMs);
}

/** Deletes the pods of a job that has ended, by `deletePod`. Gives the first failure. */
export async function stopPods(pods: readonly Pod[], deletePod: (pod: Pod) => Promise<void>): Promise<unknown> {
  const results = await Promise.allSettled(pods.map((pod) => deletePod(pod)));
  return results.find((result) => result.status === 'rejected')?.reason;
}
