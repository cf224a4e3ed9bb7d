import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goLabelSelector } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../../generated/types/batch-v1.ts';
import { validateCounts } from '../../apps/counts.ts';
import type { ClusterPolicy, StrategyContext } from '../../resource-definition.ts';
import { validateJobSpecOfTemplate } from '../job/validation.ts';
import { CronError, parseCronSchedule } from './cron-schedule.ts';
import { timeZoneProblem } from './time-zone.ts';

export const validateCronJobName = nameIsDns1123Subdomain;

/** Names of jobs are labels of 63 characters, eleven of which are the time. */
const NAME_LENGTH_MAX = 52;
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'];

export function validateCronJob(object: CronJob, errors: FieldErrors, { policy }: StrategyContext): void {
  validateCronJobSpec(object.spec, undefined, policy, field('spec'), errors);
  const name = object.metadata.name ?? '';
  if (name.length > NAME_LENGTH_MAX)
    errors.invalid(field('metadata', 'name'), name, `must be no more than ${NAME_LENGTH_MAX} characters`);
}

/** Objects with longer names may exist from before the limit. */
export function validateCronJobUpdate(
  object: CronJob,
  old: CronJob,
  errors: FieldErrors,
  { policy }: StrategyContext,
): void {
  validateCronJobSpec(object.spec, old.spec, policy, field('spec'), errors);
}

function validateCronJobSpec(
  spec: CronJobSpec,
  old: CronJobSpec | undefined,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateSchedule(spec, old, path.child('schedule'), errors);
  validateNonNegative(spec.startingDeadlineSeconds, path.child('startingDeadlineSeconds'), errors);
  // The list of zones changes with releases: a zone that was valid stays.
  if (old === undefined || old.timeZone !== spec.timeZone)
    validateTimeZone(spec.timeZone, path.child('timeZone'), errors);
  const { concurrencyPolicy = '' } = spec;
  if (concurrencyPolicy === '') errors.required(path.child('concurrencyPolicy'));
  else if (!CONCURRENCY_POLICIES.includes(concurrencyPolicy))
    errors.notSupported(path.child('concurrencyPolicy'), concurrencyPolicy, CONCURRENCY_POLICIES);
  validateJobTemplate(spec.jobTemplate, policy, path.child('jobTemplate'), errors);
  validateCounts(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'], path, errors);
}

/** Releases before 1.27 let schedules name a time zone: what has one may keep it. */
function validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  old: CronJobSpec | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (schedule === '') {
    errors.required(path);
    return;
  }
  try {
    parseCronSchedule(schedule);
  } catch (e) {
    if (!(e instanceof CronError)) throw e;
    errors.invalid(path, schedule, e.message);
  }
  if (!schedule.includes('TZ')) return;
  if (old?.schedule.includes('TZ') !== true)
    errors.invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if (timeZone !== undefined)
    errors.invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function validateTimeZone(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (name === undefined) return;
  if (name === '') {
    errors.invalid(path, name, 'timeZone must be nil or non-empty string');
    return;
  }
  if (name.toLowerCase() === 'local') {
    errors.invalid(path, name, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
    // The zone database has no "local", but every system knows "Local".
    if (name === 'Local') return;
  }
  const problem = timeZoneProblem(name);
  if (problem !== undefined) errors.invalid(path, name, problem);
}

function validateJobTemplate(
  { spec }: JobTemplateSpec,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const specPath = path.child('spec');
  validateJobSpecOfTemplate(spec, policy, specPath, errors);
  if (spec.selector !== undefined)
    errors.invalid(specPath.child('selector'), goLabelSelector(spec.selector), '`selector` will be auto-generated');
  if (spec.manualSelector === true) errors.notSupported(specPath.child('manualSelector'), true, ['nil', 'false']);
}
