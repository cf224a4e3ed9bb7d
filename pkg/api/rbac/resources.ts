import type { AnyResource } from '../resource-definition.ts';
import { clusterRoleBinding } from './cluster-role-binding/cluster-role-binding.ts';
import { clusterRole } from './cluster-role/cluster-role.ts';
import { roleBinding } from './role-binding/role-binding.ts';
import { role } from './role/role.ts';

export const rbacResources: AnyResource[] = [clusterRoleBinding, clusterRole, roleBinding, role];
