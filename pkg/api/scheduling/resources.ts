import type { AnyResource } from '../resource-definition.ts';
import { priorityClass } from './priority-class/priority-class.ts';

export const schedulingResources: AnyResource[] = [priorityClass];
