import { RESOURCE_GROUP } from '../../api/resource/resource-group.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { invalid } from '../../apimachinery/errors/status-error.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { ResourceClaim, ResourceClaimTemplate } from '../../generated/types/resource-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { isFor, handles } from '../handles.ts';
import { validateAdminAccess, validateAdminAllocation } from './admin-access.ts';
import { validateBindingPermission, validateDriverPermission } from './status-permissions.ts';

/**
 * Rules on claims for devices that one object alone cannot tell: access to devices that others use is for marked
 * namespaces, and parts of a claim's status are for those who may change them. Not among the plugins that options turn
 * on and off: stock servers check this with the object itself.
 */
export function deviceAccessPlugin(lookup: ObjectLookup, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'DeviceAccess',
    validate: handles(isClaimWrite, async (request) => {
      const errors = new FieldErrors();
      if (request.subresource === 'status') await validateStatus(lookup, authorizer, request, errors);
      else if (request.operation === 'CREATE')
        await validateAdminAccess(lookup, claimOf(request), request.namespace, errors);
      if (errors.length > 0)
        throw invalid({ group: RESOURCE_GROUP, kind: request.definition.kind }, request.name, errors);
    }),
  };
}

function isClaimWrite(request: AdmissionRequest): boolean {
  return (
    request.object !== undefined &&
    (isFor(request, RESOURCE_GROUP, 'resourceclaims') || isFor(request, RESOURCE_GROUP, 'resourceclaimtemplates'))
  );
}

function claimOf({ definition, object }: AdmissionRequest): ResourceClaim['spec'] {
  return definition.resource === 'resourceclaims'
    ? (object as ResourceClaim).spec
    : (object as ResourceClaimTemplate).spec.spec;
}

async function validateStatus(
  lookup: ObjectLookup,
  authorizer: Authorizer,
  request: AdmissionRequest,
  errors: FieldErrors,
): Promise<void> {
  const { status } = request.object as ResourceClaim;
  const old = (request.oldObject as ResourceClaim).status;
  await validateAdminAllocation(lookup, status, old, request.namespace, errors);
  // Writes of the server itself have no verb.
  if (request.verb === undefined) return;
  const asked = { user: request.user, verb: request.verb, namespace: request.namespace };
  await validateBindingPermission(authorizer, asked, status, old, errors);
  await validateDriverPermission(authorizer, asked, status, old, errors);
}
