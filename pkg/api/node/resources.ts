import type { AnyResource } from '../resource-definition.ts';
import { runtimeClass } from './runtime-class/runtime-class.ts';

export const nodeResources: AnyResource[] = [runtimeClass];
