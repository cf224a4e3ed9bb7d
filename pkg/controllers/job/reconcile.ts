import { isFinished } from '../../api/batch/job/conditions.ts';
import type { Job, JobCondition, JobStatus } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isReady, isTerminating } from '../owned/pod-state.ts';
import { newCondition, withCondition } from './conditions.ts';
import { countPods, type CountSteps } from './count-pods.ts';
import { announcedEnd, completionsReached, deadlineInMs } from './job-end.ts';
import { isSuspended } from './job-pods.ts';
import { jobState, type JobState } from './job-state.ts';
import { type ManagedPods, managePods, stopPods, type PodSteps } from './manage-pods.ts';
import { afterPods, type FailureRecord } from './pod-backoff.ts';

export interface JobSteps extends PodSteps, Omit<CountSteps, 'recordFailures'> {
  /** Pods that belong to the job, after adopting and releasing. */
  readonly claimPods: (job: Job) => Promise<readonly Pod[]>;
  readonly deletePod: (pod: Pod) => Promise<void>;
  readonly failures: FailureRecord;
  readonly recordFailures: (record: FailureRecord) => void;
  readonly event: (job: Job, type: 'Normal' | 'Warning', reason: string, note: string) => void;
  readonly nowMs: () => number;
}

/** What was done about the pods, before they are counted. */
interface Progress {
  readonly status: JobStatus;
  /** Announces the end. */
  readonly end?: JobCondition;
  readonly againMs?: number;
  readonly failure?: unknown;
}

/** One job: keeps the pods that it wants now, counts those that have ended, and ends it. */
export async function reconcile(job: Job, steps: JobSteps): Promise<number | undefined> {
  if (isFinished(job.status)) return undefined;
  const state = jobState(job, await steps.claimPods(job));
  const record = afterPods(steps.failures, state.newlySucceeded, state.newlyFailed);
  const startTime = job.status.startTime ?? (isSuspended(job) ? undefined : steps.now());
  const announced = announcedEnd(state, startTime, steps.nowMs(), steps.now());
  const began = withStartTime(job.status, startTime);
  const progress =
    announced === undefined ? await goOn(state, began, record, steps) : await stop(state, began, announced, steps);
  const { job: written, final } = await countPods(state, progress.status, progress.end, {
    ...steps,
    recordFailures: () => steps.recordFailures(record),
  });
  if (final !== undefined) reportEnd(written, final, steps);
  if (progress.failure !== undefined) throw progress.failure;
  if (progress.end !== undefined) return undefined;
  const waits = [progress.againMs, deadlineInMs(job, progress.status.startTime, steps.nowMs())];
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.max(1, Math.min(...known));
}

/** The job has its end before it: its active pods are deleted. */
async function stop(state: JobState, began: JobStatus, end: JobCondition, steps: JobSteps): Promise<Progress> {
  const { active, pods } = state;
  const failure = await stopPods(active, steps.deletePod);
  const terminating = pods.filter(isTerminating).length;
  // While some may still run the end is not announced: their finalizers have to stay.
  if (failure !== undefined) return { status: counts(began, state, active.length, terminating), failure };
  return { status: { ...counts(began, state, 0, terminating + active.length), ready: 0 }, end };
}

async function goOn(state: JobState, began: JobStatus, record: FailureRecord, steps: JobSteps): Promise<Progress> {
  const { job, pods, succeeded } = state;
  const isDeleted = job.metadata.deletionTimestamp !== undefined;
  const managed: ManagedPods = isDeleted
    ? { active: state.active.length }
    : await managePods(state, record, steps.nowMs(), steps);
  const { active, dropped = 0, againMs, failure } = managed;
  const status = counts(began, state, active, pods.filter(isTerminating).length + dropped);
  const { completions } = job.spec;
  const isComplete = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  const more = { ...(againMs === undefined ? {} : { againMs }), failure };
  if (isComplete) return { status, end: newCondition('SuccessCriteriaMet', completionsReached, steps.now()), ...more };
  return { status: isDeleted ? status : withSuspension(job, status, steps), ...more };
}

function withStartTime({ startTime: _, ...status }: JobStatus, startTime: string | undefined): JobStatus {
  return startTime === undefined ? status : { ...status, startTime };
}

function counts(status: JobStatus, state: JobState, active: number, terminating: number): JobStatus {
  return { ...status, active, ready: Math.min(active, state.active.filter(isReady).length), terminating };
}

/** A job that resumes starts again: time in suspension is no activity. */
function withSuspension(job: Job, status: JobStatus, steps: JobSteps): JobStatus {
  const suspended = isSuspended(job);
  const words = suspended
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' };
  const condition = newCondition('Suspended', words, steps.now(), suspended ? 'True' : 'False');
  const conditions = withCondition(status.conditions ?? [], condition);
  if (conditions === undefined) return status;
  steps.event(job, 'Normal', suspended ? 'Suspended' : 'Resumed', words.message);
  return { ...withStartTime(status, suspended ? undefined : steps.now()), conditions };
}

function reportEnd(job: Job, { type, reason = '', message = '' }: JobCondition, steps: JobSteps): void {
  if (type !== 'Complete') return steps.event(job, 'Warning', reason, message);
  if ((job.status.succeeded ?? 0) > (job.spec.completions ?? Infinity)) {
    const note = 'Too many succeeded pods running after completion count reached';
    steps.event(job, 'Warning', 'TooManySucceededPods', note);
  }
  steps.event(job, 'Normal', 'Completed', 'Job completed');
}
