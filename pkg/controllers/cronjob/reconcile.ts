import { CronError, type CronSchedule, parseCronSchedule } from '../../api/batch/cron-job/cron-schedule.ts';
import { timeZoneProblem } from '../../api/batch/cron-job/time-zone.ts';
import { isAlreadyExists, isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { isControlledBy } from '../../client/reconcile/owner-references.ts';
import type { CronJob, CronJobStatus, Job } from '../../generated/types/batch-v1.ts';
import type { ObjectReference } from '../../generated/types/core-v1.ts';
import { observeJobs, withActive, type ActiveJobSteps } from './active-jobs.ts';
import { jobsToDelete } from './history.ts';
import { dueRun, EmptyScheduleError, nextRunInMs } from './missed-runs.ts';
import { jobName, newJob } from './new-job.ts';

export interface CronJobSteps extends ActiveJobSteps {
  readonly createJob: (job: Job) => Promise<Job>;
  readonly deleteJob: (job: Job) => Promise<void>;
  readonly writeStatus: (cronJob: CronJob) => Promise<unknown>;
  readonly nowMs: () => number;
}

/** What is left to do after a run was started, or not. */
interface RunResult {
  readonly status: CronJobStatus;
  readonly againMs?: number | undefined;
  readonly failure?: unknown;
}

/** One cron job: observes its jobs, deletes those that are too many, and starts the one that is due. */
export async function reconcile(
  cronJob: CronJob,
  jobs: readonly Job[],
  steps: CronJobSteps,
): Promise<number | undefined> {
  let status = cronJob.status;
  for (const job of jobsToDelete(cronJob, jobs)) if (await tryDelete(job, steps)) status = without(status, job);
  status = await observeJobs(status, jobs, steps);
  const result = await runDue({ ...cronJob, status }, steps);
  if (!deepEqual(result.status, cronJob.status)) await steps.writeStatus({ ...cronJob, status: result.status });
  if (result.failure !== undefined) throw result.failure;
  return result.againMs;
}

function without(status: CronJobStatus, { metadata }: Job): CronJobStatus {
  return withActive(
    status,
    (status.active ?? []).filter(({ uid }) => uid !== metadata.uid),
  );
}

async function tryDelete(job: Job, { deleteJob, event }: CronJobSteps): Promise<boolean> {
  try {
    await deleteJob(job);
  } catch (error) {
    event('Warning', 'FailedDelete', `Deleted job: ${(error as Error).message}`);
    return false;
  }
  event('Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
  return true;
}

/** Starts the run that is due, as far as the policies allow. */
async function runDue(cronJob: CronJob, steps: CronJobSteps): Promise<RunResult> {
  const { spec, status, metadata } = cronJob;
  const nowMs = steps.nowMs();
  if (metadata.deletionTimestamp !== undefined) return { status };
  if (!hasKnownTimeZone(cronJob, steps) || spec.suspend === true) return { status };
  const schedule = readSchedule(cronJob, steps);
  if (schedule === undefined) return { status };
  const dueMs = dueTime(cronJob, schedule, nowMs, steps);
  if (dueMs === 'never') return { status };
  const againMs = nextRunInMs(cronJob, schedule, nowMs);
  if (dueMs === undefined || !mayRun(cronJob, dueMs, nowMs, steps)) return { status, againMs };
  let left = status;
  try {
    if (spec.concurrencyPolicy === 'Replace')
      for (const reference of status.active ?? []) left = without(left, await replace(reference, steps));
    return { status: await run({ ...cronJob, status: left }, dueMs, steps), againMs };
  } catch (failure) {
    return isNamespaceTerminating(failure) ? { status: left } : { status: left, failure };
  }
}

/** Also of a suspended cron job; an event says what is wrong. */
function hasKnownTimeZone({ spec: { timeZone } }: CronJob, { event }: Pick<CronJobSteps, 'event'>): boolean {
  const problem = timeZone === undefined ? undefined : timeZoneProblem(timeZone);
  if (problem === undefined) return true;
  event('Warning', 'UnknownTimeZone', `invalid timeZone: ${goQuote(timeZone!)}: ${problem}`);
  return false;
}

/** The schedule; undefined where it is not usable, which an event says. */
function readSchedule({ spec }: CronJob, { event }: Pick<CronJobSteps, 'event'>): CronSchedule | undefined {
  const { schedule } = spec;
  if (schedule.includes('TZ')) {
    const where = 'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
    const note = `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, ${where}`;
    event('Warning', 'UnsupportedSchedule', note);
  }
  try {
    return parseCronSchedule(schedule);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    event('Warning', 'UnparseableSchedule', `unparseable schedule: ${goQuote(schedule)} : ${error.message}`);
    return undefined;
  }
}

function dueTime(
  cronJob: CronJob,
  schedule: CronSchedule,
  nowMs: number,
  { event }: CronJobSteps,
): number | 'never' | undefined {
  try {
    const { dueMs, missed } = dueRun(cronJob, schedule, nowMs);
    if (dueMs !== undefined && missed === 'many') {
      const note = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      event('Warning', 'TooManyMissedTimes', note);
    }
    return dueMs;
  } catch (error) {
    if (!(error instanceof EmptyScheduleError)) throw error;
    event('Warning', 'InvalidSchedule', `invalid schedule: ${cronJob.spec.schedule} : ${error.message}`);
    return 'never';
  }
}

function mayRun(cronJob: CronJob, dueMs: number, nowMs: number, { event }: CronJobSteps): boolean {
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cronJob.spec;
  const { active = [], lastScheduleTime } = cronJob.status;
  if (deadline !== undefined && dueMs + deadline * 1000 < nowMs) {
    const time = new Date(dueMs).toUTCString().replace('GMT', '+0000');
    event('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${time}`);
    return false;
  }
  const isRun = lastScheduleTime !== undefined && Date.parse(lastScheduleTime) === dueMs;
  if (isRun || active.some(({ name }) => name === jobName(cronJob, dueMs))) return false;
  if (concurrencyPolicy !== 'Forbid' || active.length === 0) return true;
  const note = 'Not starting job because prior execution is running and concurrency policy is Forbid';
  event('Normal', 'JobAlreadyActive', note);
  return false;
}

/** Creates the job of one time; resolves with the status that says so. */
async function run(cronJob: CronJob, dueMs: number, steps: CronJobSteps): Promise<CronJobStatus> {
  const { status } = cronJob;
  const created = await createOrFind(cronJob, dueMs, steps);
  const { uid = '' } = created.metadata;
  const active = status.active ?? [];
  // Another program owns the job, and keeps the status then.
  if (!isControlledBy(created, cronJob) || active.some((one) => one.uid === uid)) return status;
  const lastScheduleTime = formatTime(new Date(dueMs));
  return { ...withActive(status, [...active, referenceTo(created)]), lastScheduleTime };
}

async function replace(reference: ObjectReference, steps: CronJobSteps): Promise<Job> {
  let job: Job;
  try {
    job = await steps.readJob(reference);
  } catch (error) {
    steps.event('Warning', 'FailedGet', `Get job: ${(error as Error).message}`);
    throw error;
  }
  if (!(await tryDelete(job, steps))) throw new Error(`could not replace job ${reference.namespace}/${reference.name}`);
  return job;
}

async function createOrFind(cronJob: CronJob, dueMs: number, steps: CronJobSteps): Promise<Job> {
  const job = newJob(cronJob, dueMs);
  try {
    const created = await steps.createJob(job);
    steps.event('Normal', 'SuccessfulCreate', `Created job ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (isAlreadyExists(error)) return steps.readJob(job.metadata as ObjectReference);
    if (!isNamespaceTerminating(error))
      steps.event('Warning', 'FailedCreate', `Error creating job: ${(error as Error).message}`);
    throw error;
  }
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion };
}
