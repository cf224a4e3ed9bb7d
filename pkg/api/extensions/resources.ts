import type { ApiGroup } from '../api-group.ts';
import { replicationControllerDummy } from './replication-controller-dummy/replication-controller-dummy.ts';

/** What is served in the extensions group alone; its other kinds have moved to groups of their own. */
export const extensionsGroup: ApiGroup = {
  name: 'extensions',
  priority: 17150,
  versionPriorities: { v1beta1: 1 },
  resources: [replicationControllerDummy],
};
