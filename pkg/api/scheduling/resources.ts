import type { ApiGroup } from '../api-group.ts';
import { priorityClass } from './priority-class/priority-class.ts';

export const schedulingGroup: ApiGroup = {
  name: 'scheduling.k8s.io',
  priority: 16600,
  versionPriorities: { v1beta1: 12, v1alpha1: 9 },
  resources: [priorityClass],
};
