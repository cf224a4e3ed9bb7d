import { RBAC_GROUP } from '../../../api/rbac/rbac-group.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from '../../../generated/types/rbac-v1.ts';
import { clusterRoleBindings, roleBindings, serviceAccount, type DefaultBinding } from './bindings.ts';
import { componentRoles } from './component-roles.ts';
import { controllerRoles } from './controller-roles.ts';
import { namespaceRoles } from './namespace-roles.ts';
import type { DefaultClusterRole } from './rule-builders.ts';
import { userRoles } from './user-roles.ts';

/** With the value "false" on an object, starting servers do not change it. */
export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-';
const CONTROLLER = 'system:controller:';
const marks = { labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' }, annotations: { [AUTOUPDATE]: 'true' } };

/** The roles and bindings that every cluster has, in the JSON shape of their hub versions. */
export interface DefaultPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

export function defaultPolicy(): DefaultPolicy {
  return {
    clusterRoles: [...userRoles, ...componentRoles, ...controllerRoles].map(clusterRole),
    clusterRoleBindings: [...clusterRoleBindings, ...controllerRoles.map(controllerBinding)].map((binding) =>
      bound(binding, 'ClusterRole'),
    ),
    roles: namespaceRoles.map(({ namespace, name, rules }) => ({
      metadata: { namespace, name, ...marks },
      rules: [...rules],
    })),
    roleBindings: roleBindings.map((binding) => bound(binding, 'Role', binding.namespace)),
  };
}

/** The rules of every node, where mode Node does not divide them. */
export function nodeRules(): readonly PolicyRule[] {
  return componentRoles.find(({ name }) => name === 'system:node')?.rules ?? [];
}

function clusterRole({ name, aggregateTo, aggregates, rules = [] }: DefaultClusterRole): ClusterRole {
  const labels = {
    ...marks.labels,
    ...(aggregateTo === undefined ? {} : { [`${AGGREGATE_TO}${aggregateTo}`]: 'true' }),
  };
  return {
    metadata: { ...marks, name, labels },
    rules: aggregates === undefined ? [...rules] : null,
    ...(aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${AGGREGATE_TO}${aggregates}`]: 'true' } }] } }),
  };
}

function controllerBinding({ name }: DefaultClusterRole): DefaultBinding {
  return { name, role: name, subjects: [serviceAccount(name.slice(CONTROLLER.length))] };
}

function bound(
  { name, role, subjects }: DefaultBinding,
  kind: 'Role' | 'ClusterRole',
  namespace?: string,
): ClusterRoleBinding {
  return {
    metadata: { ...(namespace === undefined ? {} : { namespace }), name, ...marks },
    roleRef: { apiGroup: RBAC_GROUP, kind, name: role },
    subjects: [...subjects],
  };
}
