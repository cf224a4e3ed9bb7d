import { RBAC_GROUP } from '../../api/rbac/rbac-group.ts';
import type { PolicyRule, Subject } from '../../generated/types/rbac-v1.ts';
import type { PolicyIndex } from './policy-index.ts';

/**
 * For tests: short builders of roles and bindings of an index. With a namespace: a Role or RoleBinding; without: a
 * cluster-wide one.
 */

export function addRole(index: PolicyIndex, name: string, rules: PolicyRule[], namespace = ''): void {
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
  if (namespace === '') index.clusterRoles.put(`roles/${name}`, { metadata, rules });
  else index.namespaceRoles.put(`roles/${namespace}/${name}`, { metadata, rules });
}

/** `role` is `ClusterRole/name` or `Role/name`. */
export function addBinding(index: PolicyIndex, name: string, role: string, subjects: Subject[], namespace = ''): void {
  const [kind = '', roleName = ''] = role.split('/');
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
  const binding = { metadata, subjects, roleRef: { apiGroup: RBAC_GROUP, kind, name: roleName } };
  if (namespace === '') index.clusterRoleBindings.put(`bindings/${name}`, binding);
  else index.roleBindings.put(`bindings/${namespace}/${name}`, binding);
}

export function user(name: string): Subject {
  return { kind: 'User', name, apiGroup: RBAC_GROUP };
}

export function group(name: string): Subject {
  return { kind: 'Group', name, apiGroup: RBAC_GROUP };
}

export function serviceAccount(name: string, namespace?: string): Subject {
  return { kind: 'ServiceAccount', name, ...(namespace === undefined ? {} : { namespace }) };
}

/** `rule('get list', 'pods', '', 'a b')`: verbs, resources, groups and names, each as words. */
export function rule(verbs: string, resources: string, groups = '', names?: string): PolicyRule {
  return {
    verbs: verbs.split(' '),
    resources: resources.split(' '),
    apiGroups: groups.split(' '),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  };
}
