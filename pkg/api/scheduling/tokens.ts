import { tokenOf } from '../resource-definition.ts';
import { priorityClass } from './priority-class/priority-class.ts';

export const priorityClasses = tokenOf(priorityClass);
