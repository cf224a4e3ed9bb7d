import type { Job, JobCondition } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { newCondition } from './conditions.ts';
import { isSuspended } from './job-pods.ts';
import type { JobState } from './job-state.ts';
import { jobFailureMessage } from './pod-failure-rules.ts';
import { metSuccessRule } from './success-policy.ts';

export const completionsReached = {
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/**
 * The condition that announces the end of a job whose pods are still to be stopped: `FailureTarget` or
 * `SuccessCriteriaMet`; undefined: it goes on. What the status announces already stays so.
 */
export function announcedEnd(
  state: JobState,
  startTime: string | undefined,
  nowMs: number,
  now: string,
): JobCondition | undefined {
  const { conditions = [] } = state.job.status;
  const known = (type: string): JobCondition | undefined =>
    conditions.find((condition) => condition.type === type && condition.status === 'True');
  const announced = known('SuccessCriteriaMet') ?? known('FailureTarget');
  if (announced !== undefined) return announced;
  const failure = failureOf(state, startTime, nowMs);
  if (failure !== undefined) return newCondition('FailureTarget', failure, now);
  const message = metSuccessRule(state.job, state.succeededIndexes);
  return message === undefined
    ? undefined
    : newCondition('SuccessCriteriaMet', { reason: 'SuccessPolicy', message }, now);
}

/** The condition that follows when all pods are counted and none is being deleted. */
export function finalCondition({ type, reason, message }: JobCondition, now: string): JobCondition {
  return newCondition(type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed', { reason, message }, now);
}

/** Milliseconds until the job has been active for too long. */
export function deadlineInMs(job: Job, startTime: string | undefined, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return Date.parse(startTime) + activeDeadlineSeconds * 1000 - nowMs;
}

function failureOf(
  state: JobState,
  startTime: string | undefined,
  nowMs: number,
): Pick<JobCondition, 'reason' | 'message'> | undefined {
  const { job, pods, failed, failedIndexes, succeededIndexes } = state;
  const { backoffLimit = 6, maxFailedIndexes = Infinity, completions = 0 } = job.spec;
  const message = jobFailureMessage(job, pods);
  if (message !== undefined) return { reason: 'PodFailurePolicy', message };
  if (failed > backoffLimit || restartsExceedLimit(job, pods))
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  if ((deadlineInMs(job, startTime, nowMs) ?? 1) <= 0)
    return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  if (failedIndexes === undefined || failedIndexes.size === 0) return undefined;
  if (failedIndexes.size > maxFailedIndexes) {
    const exceeded = 'Job has exceeded the specified maximal number of failed indexes';
    return { reason: 'MaxFailedIndexesExceeded', message: exceeded };
  }
  if (failedIndexes.size + succeededIndexes.size < completions) return undefined;
  return { reason: 'FailedIndexes', message: 'Job has failed indexes' };
}

/** Where containers restart in their pods, restarts count instead of pods. */
function restartsExceedLimit({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += restartCount;
  }
  return restarts > 0 && restarts >= (spec.backoffLimit ?? 6);
}
