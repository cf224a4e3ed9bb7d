import { finishedCondition, isFinished } from '../../api/batch/job/conditions.ts';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';
import { IndexSet } from './index-set.ts';
import { isFailed, isIndexed, isTracked, replacesOnlyFailed } from './job-pods.ts';
import { podFailure } from './pod-failure-rules.ts';

/** What a reconcile did. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

export interface JobMetrics {
  readonly synced: (job: Job, action: SyncAction, failed: boolean, seconds: number) => void;
  readonly podCreated: (job: Job, status: 'succeeded' | 'failed') => void;
  /** The status of a job was written. */
  readonly counted: (before: Job, after: Job) => void;
  /** A failed pod was counted. */
  readonly failureHandled: (job: Job, pod: Pod) => void;
  /** A pod has changed; undefined: it was not there, or is gone. */
  readonly podChanged: (before: Pod | undefined, after: Pod | undefined) => void;
  readonly external: (controller: string) => void;
}

export function jobMetrics(metrics: ControllerMetrics): JobMetrics {
  const syncLabels = ['completion_mode', 'result', 'action'] as const;
  const durations = metrics.histogram({
    name: 'job_controller_job_sync_duration_seconds',
    help: 'Time that one reconcile of a job takes.',
    labels: syncLabels,
    buckets: exponentialBuckets(0.004, 2, 15),
  });
  const syncs = metrics.counter({
    name: 'job_controller_job_syncs_total',
    help: 'Reconciles of jobs.',
    labels: syncLabels,
  });
  const creations = metrics.counter({
    name: 'job_controller_job_pods_creation_total',
    help: 'Pods created for jobs, by the reason: new ones, and those in the place of others.',
    labels: ['reason', 'status'],
  });
  const handled = metrics.counter({
    name: 'job_controller_pod_failures_handled_by_failure_policy_total',
    help: "Failed pods that a rule of their job's failure policy matched.",
    labels: ['action'],
  });
  const tracked = metrics.counter({
    name: 'job_controller_terminated_pods_tracking_finalizer_total',
    help: 'Ended pods that got or lost the finalizer batch.kubernetes.io/job-tracking.',
    labels: ['event'],
  });
  const external = metrics.counter({
    name: 'job_controller_jobs_by_external_controller_total',
    help: 'Jobs that another controller manages.',
    labels: ['controller_name'],
  });
  const counted = countedMetrics(metrics);
  return {
    synced(job, action, failed, seconds) {
      const labels = { completion_mode: modeOf(job), result: failed ? 'error' : 'success', action };
      syncs.increment(labels);
      durations.observe(seconds, labels);
    },
    podCreated: (job, status) => creations.increment({ reason: creationReason(job), status }),
    counted,
    failureHandled(job, pod) {
      const action = isFailed(pod, job) ? podFailure(job, pod).action : undefined;
      if (action !== undefined) handled.increment({ action });
    },
    podChanged(before, after) {
      const [was, is] = [isEndedAndTracked(before), isEndedAndTracked(after)];
      if (was !== is) tracked.increment({ event: is ? 'add' : 'delete' });
    },
    external: (name) => external.increment({ controller_name: name }),
  };
}

/** What a written status counts that the one before did not. */
function countedMetrics(metrics: ControllerMetrics): JobMetrics['counted'] {
  const pods = metrics.counter({
    name: 'job_controller_job_pods_finished_total',
    help: 'Ended pods that their jobs have counted.',
    labels: ['completion_mode', 'result'],
  });
  const jobs = metrics.counter({
    name: 'job_controller_jobs_finished_total',
    help: 'Jobs that have ended.',
    labels: ['completion_mode', 'result', 'reason'],
  });
  const indexes = metrics.counter({
    name: 'job_controller_job_finished_indexes_total',
    help: 'Indexes of jobs that have ended.',
    labels: ['status', 'backoffLimit'],
  });
  return (before, after) => {
    const mode = modeOf(after);
    const succeeded = succeededOf(after) - succeededOf(before);
    const failed = (after.status.failed ?? 0) - (before.status.failed ?? 0);
    if (succeeded > 0) pods.add(succeeded, { completion_mode: mode, result: 'succeeded' });
    if (failed > 0) pods.add(failed, { completion_mode: mode, result: 'failed' });
    if (isIndexed(after)) {
      const backoffLimit = after.spec.backoffLimitPerIndex === undefined ? 'global' : 'perIndex';
      const failedIndexes = indexCount(after, 'failedIndexes') - indexCount(before, 'failedIndexes');
      if (succeeded > 0) indexes.add(succeeded, { status: 'succeeded', backoffLimit });
      if (failedIndexes > 0) indexes.add(failedIndexes, { status: 'failed', backoffLimit });
    }
    const finished = finishedCondition(after.status);
    if (finished === undefined || isFinished(before.status)) return;
    const { type, reason = '' } = finished;
    jobs.increment({ completion_mode: mode, result: type === 'Complete' ? 'succeeded' : 'failed', reason });
  };
}

function modeOf(job: Job): string {
  return isIndexed(job) ? 'Indexed' : 'NonIndexed';
}

/** By the indexes: where completions become fewer, the number in the status before counts some that are none now. */
function succeededOf(job: Job): number {
  return isIndexed(job) ? indexCount(job, 'completedIndexes') : (job.status.succeeded ?? 0);
}

function indexCount({ spec, status }: Job, field: 'completedIndexes' | 'failedIndexes'): number {
  return IndexSet.parse(status[field], spec.completions ?? 0).size;
}

function creationReason(job: Job): string {
  const { failed = 0, terminating = 0 } = job.status;
  if (replacesOnlyFailed(job)) return failed > 0 ? 'recreate_failed' : 'new';
  return failed > 0 || terminating > 0 ? 'recreate_terminating_or_failed' : 'new';
}

function isEndedAndTracked(pod: Pod | undefined): boolean {
  if (pod?.status.phase !== 'Succeeded' && pod?.status.phase !== 'Failed') return false;
  return isTracked(pod);
}
