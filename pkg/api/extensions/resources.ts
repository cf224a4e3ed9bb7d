import type { ApiGroup } from '../api-group.ts';
import { replicationControllerDummy } from './replication-controller-dummy/replication-controller-dummy.ts';

/** The kinds that only the extensions group serves; its other kinds have moved to separate groups. */
export const extensionsGroup: ApiGroup = {
  name: 'extensions',
  priority: 17150,
  versionPriorities: { v1beta1: 1 },
  resources: [replicationControllerDummy],
};
