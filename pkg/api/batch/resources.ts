import type { ApiGroup } from '../api-group.ts';
import { cronJob } from './cron-job/cron-job.ts';
import { job } from './job/job.ts';

export const batchGroup: ApiGroup = {
  name: 'batch',
  priority: 17400,
  versionPriorities: { v2alpha1: 8 },
  resources: [cronJob, job],
};
