import { resourceClaimTemplates, resourceClaims } from '../../api/resource/tokens.ts';
import { RESOURCE_GROUP } from '../../api/resource/resource-group.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { invalid } from '../../apimachinery/errors/status-error.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { handles, requestsOn, requestsOnPath, type RequestOn } from '../handles.ts';
import { validateAdminAccess, validateAdminAllocation } from './admin-access.ts';
import { validateBindingPermission, validateDriverPermission } from './status-permissions.ts';

/**
 * Rules on claims for devices that need other objects: access to devices in use is for marked namespaces, and parts of
 * a claim's status need permissions. Not among the plugins of the options: stock servers check this with the object
 * itself.
 */
export function deviceAccessPlugin(lookup: ObjectLookup, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'DeviceAccess',
    validate: handles(
      (request) => isNewClaim(request) || isNewTemplate(request) || isStatusUpdate(request),
      async (request) => {
        const errors = new FieldErrors();
        if (isStatusUpdate(request)) await validateStatus(lookup, authorizer, request, errors);
        else {
          const claim = isNewClaim(request) ? request.object.spec : request.object.spec.spec;
          await validateAdminAccess(lookup, claim, request.namespace, errors);
        }
        if (errors.length > 0)
          throw invalid({ group: RESOURCE_GROUP, kind: request.definition.kind }, request.name, errors);
      },
    ),
  };
}

const isNewClaim = requestsOn(resourceClaims, 'CREATE');
const isNewTemplate = requestsOn(resourceClaimTemplates, 'CREATE');
const isStatusUpdate = requestsOnPath(resourceClaims, 'status', 'UPDATE');

async function validateStatus(
  lookup: ObjectLookup,
  authorizer: Authorizer,
  request: RequestOn<ResourceClaim, 'UPDATE'>,
  errors: FieldErrors,
): Promise<void> {
  const { status } = request.object;
  const old = request.oldObject.status;
  await validateAdminAllocation(lookup, status, old, request.namespace, errors);
  // Writes of the server itself have no verb.
  if (request.verb === undefined) return;
  const asked = { user: request.user, verb: request.verb, namespace: request.namespace };
  await validateBindingPermission(authorizer, asked, status, old, errors);
  await validateDriverPermission(authorizer, asked, status, old, errors);
}
