import { finishedCondition } from '../../api/batch/job/conditions.ts';
import type { CronJob, Job } from '../../generated/types/batch-v1.ts';

/** The oldest finished jobs, beyond those that the cron job keeps of each kind. */
export function jobsToDelete({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
  const oldest = (type: string, limit = Infinity): readonly Job[] => {
    const finished = jobs.filter(({ status }) => finishedCondition(status)?.type === type);
    return finished.toSorted(byStart).slice(0, Math.max(0, finished.length - limit));
  };
  return [...oldest('Complete', successfulJobsHistoryLimit), ...oldest('Failed', failedJobsHistoryLimit)];
}

function byStart(a: Job, b: Job): number {
  const [x, y] = [a, b].map(({ status }) => Date.parse(status.startTime ?? ''));
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return x! - y! || (a.metadata.name! < b.metadata.name! ? -1 : 1);
}
