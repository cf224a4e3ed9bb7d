import { tokenOf } from '../resource-definition.ts';
import { cronJob } from './cron-job/cron-job.ts';
import { job } from './job/job.ts';

export const cronJobs = tokenOf(cronJob);
export const jobs = tokenOf(job);
