import type { ApiGroup } from '../api-group.ts';
import { clusterRoleBinding } from './cluster-role-binding/cluster-role-binding.ts';
import { clusterRole } from './cluster-role/cluster-role.ts';
import { roleBinding } from './role-binding/role-binding.ts';
import { role } from './role/role.ts';

export const rbacGroup: ApiGroup = {
  name: 'rbac.authorization.k8s.io',
  priority: 17000,
  versionPriorities: { v1beta1: 12, v1alpha1: 9 },
  resources: [clusterRoleBinding, clusterRole, roleBinding, role],
};
