import { pods } from '../../api/core/tokens.ts';
import type { AnyResource } from '../../api/resource-definition.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { AuthorizationAttributes, Authorizer } from '../../authorization/authorizer.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { isFor } from '../handles.ts';

/**
 * A user who changes an object's owners decides when it is deleted, so must be allowed to delete it; a user who lets it
 * block an owner's deletion must be allowed to set that owner's finalizers. `resources` are all that are served.
 */
export function ownerReferencesPermissionEnforcementPlugin(
  authorizer: Authorizer,
  resources: () => readonly AnyResource[],
): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    async validate(request) {
      if (request.object === undefined || !changesOwners(request)) return;
      if (request.operation === 'UPDATE') await checkDelete(authorizer, request);
      for (const owner of newlyBlocking(request)) await checkFinalizers(authorizer, resources(), request, owner);
    },
  };
}

function ownersOf(object: ApiObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

function changesOwners(request: AdmissionRequest): boolean {
  const { operation, subresource, object, oldObject } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
  // Old nodes write wrong owners here; the kind's own strategy keeps the stored ones.
  if (isFor(request, pods) && subresource === 'status') return false;
  return !semanticDeepEqual(ownersOf(object), ownersOf(oldObject));
}

function newlyBlocking({ object, oldObject }: AdmissionRequest): OwnerReference[] {
  const before = new Map(ownersOf(oldObject).map((owner) => [owner.uid, owner]));
  return ownersOf(object).filter(
    (owner) => owner.blockOwnerDeletion === true && before.get(owner.uid)?.blockOwnerDeletion !== true,
  );
}

async function checkDelete(authorizer: Authorizer, request: AdmissionRequest): Promise<void> {
  const { definition, groupVersion, subresource, name } = request;
  const apiVersion = groupVersion.slice(groupVersion.indexOf('/') + 1);
  const refused = await whyNot(authorizer, request, {
    verb: 'delete',
    apiGroup: definition.group,
    apiVersion,
    resource: definition.resource,
    subresource,
    namespace: request.namespace,
    name,
  });
  if (refused !== undefined)
    throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${refused}, <nil>`);
}

async function checkFinalizers(
  authorizer: Authorizer,
  resources: readonly AnyResource[],
  request: AdmissionRequest,
  owner: OwnerReference,
): Promise<void> {
  for (const { apiGroup, apiVersion, resource, namespaced } of resourcesOf(resources, request, owner)) {
    // A namespaced object's owner is in the same namespace, or cluster-wide.
    const namespace = namespaced ? request.namespace : '';
    const refused = await whyNot(authorizer, request, {
      verb: 'update',
      apiGroup,
      apiVersion,
      resource,
      subresource: 'finalizers',
      namespace,
      name: owner.name,
    });
    if (refused !== undefined)
      throw refusal(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${refused}, <nil>`,
      );
  }
}

function resourcesOf(
  resources: readonly AnyResource[],
  request: AdmissionRequest,
  owner: OwnerReference,
): OwnerResource[] {
  try {
    return ownerResources(resources, owner);
  } catch (error) {
    const where = `APIVersion ${owner.apiVersion} Kind ${owner.kind}`;
    throw refusal(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ${where}: ${(error as Error).message}`,
    );
  }
}

/** The reason of a refusal, which may be empty; undefined when the user is allowed. */
async function whyNot(
  authorizer: Authorizer,
  { user }: AdmissionRequest,
  asked: Omit<AuthorizationAttributes, 'user' | 'isResource' | 'path'>,
): Promise<string | undefined> {
  const { decision, reason } = await authorizer.authorize({ ...asked, user, isResource: true, path: '' });
  return decision === 'allow' ? undefined : reason;
}

/** A resource in one of its versions. */
interface OwnerResource {
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** The resources that a reference's version and kind may mean; throws in the words of clients when there is none. */
function ownerResources(resources: readonly AnyResource[], { apiVersion, kind }: OwnerReference): OwnerResource[] {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/', 2) as [string, string]) : ['', apiVersion];
  const found = resources.filter(({ kind: name, versions }) =>
    versions.some((v) => v.groupVersion === apiVersion && v.served !== false && (v.kind ?? name) === kind),
  );
  if (found.length === 0) throw new Error(`no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`);
  return found.map(({ resource, namespaced }) => ({ apiGroup: group, apiVersion: version, resource, namespaced }));
}
