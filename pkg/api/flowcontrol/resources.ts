import type { ApiGroup } from '../api-group.ts';
import { flowSchema } from './flow-schema/flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration/priority-level-configuration.ts';

export const flowcontrolGroup: ApiGroup = {
  name: 'flowcontrol.apiserver.k8s.io',
  priority: 16100,
  versionPriorities: { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12 },
  resources: [flowSchema, priorityLevelConfiguration],
};
