import type { AnyResource } from '../resource-definition.ts';
import { deployment } from './deployment/deployment.ts';

/** The apps group, with the older versions of its kinds in extensions. */
export const appsResources: AnyResource[] = [deployment];
