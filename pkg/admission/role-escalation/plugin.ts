import { RBAC_GROUP } from '../../api/rbac/rbac-group.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { EscalationChecks, PolicyWrite } from '../../authorization/rbac/escalation.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { handles } from '../handles.ts';

/**
 * Looks at what roles and bindings give before they are stored. Not among the plugins that options turn on and off: it
 * always runs, and as the last of the mutating ones, so that nothing changes what it has seen.
 */
export function roleEscalationPlugin(checks: EscalationChecks): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    admit: handles(isPolicyWrite, async (request) => {
      switch (request.definition.resource) {
        case 'roles':
        case 'clusterroles':
          return checks.checkRole(policyWrite(request));
        case 'rolebindings':
        case 'clusterrolebindings':
          return checks.checkBinding(policyWrite(request));
      }
    }),
  };
}

function isPolicyWrite({ definition, object, subresource }: AdmissionRequest): boolean {
  return definition.group === RBAC_GROUP && object !== undefined && subresource === '';
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
}: AdmissionRequest): PolicyWrite<T> {
  return {
    user,
    namespace,
    resource: { group: definition.group, resource: definition.resource },
    requestName: operation === 'CREATE' && insteadOfUpdate !== true ? '' : name,
    object: object as T,
    old: oldObject as T | undefined,
  };
}
