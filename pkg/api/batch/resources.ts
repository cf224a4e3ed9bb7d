import type { AnyResource } from '../resource-definition.ts';
import { cronJob } from './cron-job/cron-job.ts';
import { job } from './job/job.ts';

export const batchResources: AnyResource[] = [cronJob, job];
