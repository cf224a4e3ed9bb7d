import { tokenOf } from '../resource-definition.ts';
import { runtimeClass } from './runtime-class/runtime-class.ts';

export const runtimeClasses = tokenOf(runtimeClass);
