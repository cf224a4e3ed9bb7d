import type { AnyResource } from '../resource-definition.ts';
import { job } from './job/job.ts';

export const batchResources: AnyResource[] = [job];
