import { finishedCondition } from '../../api/batch/job/conditions.ts';
import type { CronJobStatus, Job } from '../../generated/types/batch-v1.ts';
import type { ObjectReference } from '../../generated/types/core-v1.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';

export type RecordEvent = (type: 'Normal' | 'Warning', reason: string, note: string) => void;

export interface ActiveJobSteps {
  /** From the server. */
  readonly readJob: (reference: ObjectReference) => Promise<Job>;
  /** From the server: the list of the cache may be older than the jobs. */
  readonly readActive: () => Promise<readonly ObjectReference[]>;
  readonly event: RecordEvent;
}

/** The status with the jobs that run now, and the time of the last success. */
export async function observeJobs(
  status: CronJobStatus,
  jobs: readonly Job[],
  { readJob, readActive, event }: ActiveJobSteps,
): Promise<CronJobStatus> {
  let { active = [], lastSuccessfulTime } = status;
  const has = (list: readonly ObjectReference[], uid: string): boolean => list.some((one) => one.uid === uid);
  for (const job of jobs) {
    const { uid = '', name } = job.metadata;
    const finish = finishedCondition(job.status);
    if (has(active, uid)) {
      if (finish === undefined) continue;
      active = active.filter((one) => one.uid !== uid);
      event('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${finish?.type}`);
    } else if (finish === undefined) {
      if (has(await readActive(), uid)) continue;
      event('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`);
    } else if (finish?.type === 'Complete') {
      const { completionTime } = job.status;
      const isLater =
        (lastSuccessfulTime ?? '') === '' || Date.parse(completionTime ?? '') > Date.parse(lastSuccessfulTime!);
      if (completionTime !== undefined && isLater) lastSuccessfulTime = completionTime;
    }
  }
  for (const reference of active.filter(({ uid }) => !jobs.some((job) => job.metadata.uid === uid))) {
    try {
      await readJob(reference);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      event('Normal', 'MissingJob', `Active job went missing: ${reference.name}`);
      active = active.filter((one) => one !== reference);
    }
  }
  return withActive({ ...status, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) }, active);
}

export function withActive({ active: _, ...status }: CronJobStatus, active: readonly ObjectReference[]): CronJobStatus {
  return active.length === 0 ? status : { ...status, active: [...active] };
}
