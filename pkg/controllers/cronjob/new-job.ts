import { setKey } from '../../apimachinery/json/own-keys.ts';
import { cronJobs } from '../../api/batch/tokens.ts';
import { controllerReference } from '../../client/reconcile/owner-references.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { CronJob, Job } from '../../generated/types/batch-v1.ts';

/** Annotation of a job: when it was due. */
export const SCHEDULED_TIMESTAMP = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** One name for each time, so that no time runs twice. */
export function jobName({ metadata }: CronJob, scheduledMs: number): string {
  return `${metadata.name}-${Math.floor(scheduledMs / 60_000)}`;
}

/** The job of one time of the schedule. */
export function newJob(cronJob: CronJob, scheduledMs: number): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const annotations = { ...metadata?.annotations };
  setKey(annotations, SCHEDULED_TIMESTAMP, timeInZone(scheduledMs, cronJob.spec.timeZone));
  return {
    metadata: {
      name: jobName(cronJob, scheduledMs),
      namespace: cronJob.metadata.namespace,
      labels: { ...metadata?.labels },
      annotations,
      ownerReferences: [controllerReference(cronJobs, cronJob)],
    },
    spec: structuredClone(spec),
    status: {},
  };
}

/** RFC 3339 with the offset of the zone. */
function timeInZone(ms: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offset = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT([+-])(\d\d):(\d\d)/.exec(offset);
  if (match === null || /^GMT[+-]00:00/.test(offset)) return formatTime(new Date(ms));
  const [, sign, hours, minutes] = match;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return `${formatTime(new Date(ms + offsetMs)).slice(0, -1)}${sign}${hours}:${minutes}`;
}
