import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../api/rbac/tokens.ts';
import { RBAC_GROUP } from '../../api/rbac/rbac-group.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { EscalationChecks, PolicyWrite } from '../../authorization/rbac/escalation.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { handles, requestsOn, type RequestOn } from '../handles.ts';

/**
 * Checks the rights that roles and bindings grant before they are stored. Not among the plugins of the options: it
 * always runs, and as the last of the mutating ones, so that nothing changes what it has checked.
 */
export function roleEscalationPlugin(checks: EscalationChecks): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    admit: handles(isPolicyWrite, async (request) => {
      if (isRole(request) || isClusterRole(request)) return checks.checkRole(policyWrite(request));
      if (isRoleBinding(request) || isClusterRoleBinding(request)) return checks.checkBinding(policyWrite(request));
    }),
  };
}

const isRole = requestsOn(roles, 'CREATE', 'UPDATE');
const isClusterRole = requestsOn(clusterRoles, 'CREATE', 'UPDATE');
const isRoleBinding = requestsOn(roleBindings, 'CREATE', 'UPDATE');
const isClusterRoleBinding = requestsOn(clusterRoleBindings, 'CREATE', 'UPDATE');

function isPolicyWrite({ definition, object }: AdmissionRequest): boolean {
  return definition.group === RBAC_GROUP && object !== undefined;
}

function policyWrite<T extends ApiObject>({
  operation,
  definition,
  user,
  namespace,
  name,
  insteadOfUpdate,
  object,
  oldObject,
}: RequestOn<T, 'CREATE' | 'UPDATE'>): PolicyWrite<T> {
  return {
    user,
    namespace,
    resource: { group: definition.group, resource: definition.resource },
    requestName: operation === 'CREATE' && insteadOfUpdate !== true ? '' : name,
    object,
    old: oldObject,
  };
}
