import type { Job } from '../../../generated/types/batch-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { setJobDefaults } from './defaults.ts';
import { validateJobStatusUpdate } from './status-validation.ts';
import { prepareForCreate } from './strategy.ts';
import { jobTable } from './table.ts';
import { jobWarnings } from './warnings.ts';
import { validateJob, validateJobName, validateJobUpdate } from './validation.ts';

export const job = defineResource<Job>({
  group: 'batch',
  resource: 'jobs',
  kind: 'Job',
  singular: 'job',
  categories: ['all'],
  namespaced: true,
  hub: 'batch/v1',
  versions: [{ groupVersion: 'batch/v1', message: 'batch/v1.Job', setDefaults: setJobDefaults }],
  storageVersion: 'batch/v1',
  storagePath: 'jobs',
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateJobStatusUpdate }],
  validateName: validateJobName,
  generationOf: ({ spec }) => spec,
  prepareForCreate,
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  warnings: jobWarnings,
  // For old clients: jobs orphan their pods by default.
  garbageCollectionDefault: () => 'orphan',
  defaultCascadeWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  fieldLabels: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
  table: jobTable,
});
