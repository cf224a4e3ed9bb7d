import { tokenOf } from '../resource-definition.ts';
import { controllerRevision } from './controller-revision/controller-revision.ts';
import { daemonSet } from './daemon-set/daemon-set.ts';
import { deployment } from './deployment/deployment.ts';
import { replicaSet } from './replica-set/replica-set.ts';
import { statefulSet } from './stateful-set/stateful-set.ts';

export const controllerRevisions = tokenOf(controllerRevision);
export const daemonSets = tokenOf(daemonSet);
export const deployments = tokenOf(deployment);
export const replicaSets = tokenOf(replicaSet);
export const statefulSets = tokenOf(statefulSet);
