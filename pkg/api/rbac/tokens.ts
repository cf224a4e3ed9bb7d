import { tokenOf } from '../resource-definition.ts';
import { clusterRoleBinding } from './cluster-role-binding/cluster-role-binding.ts';
import { clusterRole } from './cluster-role/cluster-role.ts';
import { roleBinding } from './role-binding/role-binding.ts';
import { role } from './role/role.ts';

export const clusterRoleBindings = tokenOf(clusterRoleBinding);
export const clusterRoles = tokenOf(clusterRole);
export const roleBindings = tokenOf(roleBinding);
export const roles = tokenOf(role);
