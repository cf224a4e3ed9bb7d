import { field } from '../../../apimachinery/errors/field-path.ts';
import type { CronJob } from '../../../generated/types/batch-v1.ts';
import type { CronJob as CronJobV2alpha1 } from '../../../generated/types/batch-v2alpha1.ts';
import { setPodTemplateDefaults } from '../../core/pod-spec/defaults.ts';
import { podTemplateWarnings } from '../../core/pod-spec/warnings.ts';
import { defineResource } from '../../resource-definition.ts';
import { cronJobTable } from './table.ts';
import { validateCronJob, validateCronJobName, validateCronJobUpdate } from './validation.ts';

/** The job's own defaults are set when there is a job. */
function setSharedDefaults({ spec }: CronJob | CronJobV2alpha1): void {
  setPodTemplateDefaults(spec.jobTemplate.spec.template);
  spec.concurrencyPolicy ??= 'Allow';
  spec.suspend ??= false;
}

function setCronJobDefaults(object: CronJob): void {
  setSharedDefaults(object);
  object.spec.successfulJobsHistoryLimit ??= 3;
  object.spec.failedJobsHistoryLimit ??= 1;
}

/**
 * The time zone and the time of the last success are younger than batch/v2alpha1, which is only read from stores, and
 * are not shown in it.
 */
function v2alpha1FromHub(object: CronJob): CronJobV2alpha1 {
  delete object.spec.timeZone;
  delete object.status.lastSuccessfulTime;
  return object;
}

function cronJobWarnings(object: CronJob, old: CronJob | undefined): string[] {
  const warnings: string[] = [];
  if (old === undefined || old.metadata.generation !== object.metadata.generation) {
    warnings.push(
      ...podTemplateWarnings(object.spec.jobTemplate.spec.template, field('spec', 'jobTemplate', 'spec', 'template')),
    );
  }
  if (object.spec.schedule.includes('TZ')) {
    warnings.push(
      'CRON_TZ or TZ used in spec.schedule is not officially supported, see ' +
        'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    );
  }
  return warnings;
}

export const cronJob = defineResource<CronJob>({
  group: 'batch',
  resource: 'cronjobs',
  kind: 'CronJob',
  singular: 'cronjob',
  shortNames: ['cj'],
  categories: ['all'],
  namespaced: true,
  hub: 'batch/v1',
  versions: [
    { groupVersion: 'batch/v1', message: 'batch/v1.CronJob', setDefaults: setCronJobDefaults },
    {
      groupVersion: 'batch/v1beta1',
      message: 'batch/v1beta1.CronJob',
      setDefaults: setCronJobDefaults,
      deprecation: { deprecatedIn: '1.21', removedIn: '1.25', replacement: 'batch/v1' },
    },
    {
      groupVersion: 'batch/v2alpha1',
      message: 'batch/v2alpha1.CronJob',
      served: false,
      setDefaults: setSharedDefaults,
      fromHub: v2alpha1FromHub,
    },
  ],
  storageVersion: 'batch/v1',
  storagePath: 'cronjobs',
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], metadataChecksOnUpdate: [] }],
  validateName: validateCronJobName,
  metadataChecksOnUpdate: ['update'],
  generationOf: ({ spec }) => spec,
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
  warnings: cronJobWarnings,
  garbageCollectionDefault: (requestVersion) => (requestVersion === 'batch/v1' ? 'background' : 'orphan'),
  table: cronJobTable,
});
