import type { ApiGroup } from '../api-group.ts';
import { controllerRevision } from './controller-revision/controller-revision.ts';
import { daemonSet } from './daemon-set/daemon-set.ts';
import { deployment } from './deployment/deployment.ts';
import { replicaSet } from './replica-set/replica-set.ts';
import { statefulSet } from './stateful-set/stateful-set.ts';

/** The apps group, with the older versions of its kinds in extensions. */
export const appsGroup: ApiGroup = {
  name: 'apps',
  priority: 17800,
  versionPriorities: { v1beta1: 1 },
  resources: [controllerRevision, daemonSet, deployment, replicaSet, statefulSet],
};
