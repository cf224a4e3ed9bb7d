import type { AnyResource } from '../resource-definition.ts';
import { controllerRevision } from './controller-revision/controller-revision.ts';
import { daemonSet } from './daemon-set/daemon-set.ts';
import { deployment } from './deployment/deployment.ts';
import { replicaSet } from './replica-set/replica-set.ts';
import { statefulSet } from './stateful-set/stateful-set.ts';

/** The apps group, with the older versions of its kinds in extensions. */
export const appsResources: AnyResource[] = [controllerRevision, daemonSet, deployment, replicaSet, statefulSet];
