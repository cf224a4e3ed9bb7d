import { type CronSchedule } from '../../api/batch/cron-job/cron-schedule.ts';
import type { CronJob } from '../../generated/types/batch-v1.ts';
import { nextTime } from './next-time.ts';

/** From so many missed runs on something is wrong, such as a clock. */
const MANY_MISSED = 100;
/** A run begins a little after its time, so that it is surely reached. */
const AFTER_MS = 100;

/** Thrown for a schedule that has no two times. */
export class EmptyScheduleError extends Error {}

/** What a cron job has to run now. */
export interface DueRun {
  /** The last time that is not run; undefined: none. */
  readonly dueMs: number | undefined;
  readonly missed: 'none' | 'few' | 'many';
  /** From where times count. */
  readonly sinceMs: number;
}

/** The last time of the schedule that has come since the last run; not before the starting deadline. */
export function dueRun(cronJob: CronJob, schedule: CronSchedule, nowMs: number, withDeadline = true): DueRun {
  const { startingDeadlineSeconds: deadline, timeZone } = cronJob.spec;
  const startMs = Date.parse(cronJob.status.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '');
  const sinceMs = withDeadline && deadline !== undefined ? Math.max(startMs, nowMs - deadline * 1000) : startMs;
  const next = (afterMs: number): number => {
    const found = nextTime(schedule, afterMs, timeZone);
    if (found === undefined)
      throw new EmptyScheduleError('time difference between two schedules is less than 1 second');
    return found;
  };
  const firstMs = next(sinceMs);
  if (nowMs < firstMs) return { dueMs: undefined, missed: 'none', sinceMs };
  const secondMs = next(firstMs);
  if (nowMs < secondMs) return { dueMs: firstMs, missed: 'none', sinceMs };
  const intervalMs = secondMs - firstMs;
  const count = Math.floor((nowMs - firstMs) / intervalMs) + 1;
  let dueMs: number | undefined;
  // The interval is a guess where times are not regular: one more is looked at.
  for (let ms = next(firstMs + (count - 2) * intervalMs); ms <= nowMs; ms = next(ms)) dueMs = ms;
  return { dueMs, missed: count > MANY_MISSED ? 'many' : 'few', sinceMs };
}

/** Milliseconds until the next run. */
export function nextRunInMs(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number | undefined {
  const next = nextTime(schedule, lastDueMs(cronJob, schedule, nowMs), cronJob.spec.timeZone);
  return next === undefined ? undefined : Math.max(1, next + AFTER_MS - nowMs);
}

function lastDueMs(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number {
  try {
    const { dueMs, missed, sinceMs } = dueRun(cronJob, schedule, nowMs, false);
    return dueMs ?? (missed === 'none' ? sinceMs : nowMs);
  } catch (error) {
    if (error instanceof EmptyScheduleError) return nowMs;
    throw error;
  }
}
