import { noAdmission } from '../../admission/admission.ts';
import { buildScale, scaleReplicas, scaleVersionOf, validateScale } from '../../api/autoscaling/scale.ts';
import type { ScaleAccess } from '../../api/resource-definition.ts';
import type { VersionedResource } from '../../api/scheme.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import {
  conflict,
  genericServerResponse,
  invalid,
  isNotFound,
  notFound,
} from '../../apimachinery/errors/status-error.ts';
import { DecodeError, normalize } from '../../codec/normalize.ts';
import type { Scale as ScaleV1beta1 } from '../../generated/types/apps-v1beta1.ts';
import type { Scale as ScaleV1 } from '../../generated/types/autoscaling-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { updateObject } from '../../registry/update-object.ts';
import { StrictProblems } from '../verbs/strict-problems.ts';
import type { RequestContext } from '../request/request-context.ts';
import { freshnessOf, parseWriteOptions, type WriteOptions } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { admitDocument } from './admit-document.ts';
import { answerObject, negotiateForm, type Negotiated } from '../verbs/answer-object.ts';
import { bodyKind } from './body-kinds.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { matchName, matchNamespace } from '../verbs/match-path.ts';
import { patchRefusal } from '../verbs/patch-refusal.ts';
import { applyToDocument, parsePatch, patchTypeOf } from '../verbs/patch.ts';
import { shownObject } from '../verbs/transient-object.ts';
import { writeRequest } from '../verbs/strategy-context.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

type Scale = ScaleV1 | ScaleV1beta1;

/** A scalable resource with the Scale of its path's version. */
interface Scalable {
  readonly endpoint: ResourceEndpoint;
  readonly access: ScaleAccess<ApiObject>;
  readonly target: VersionedResource;
  readonly negotiated: Negotiated;
}

/** GET, PUT and PATCH of the `scale` of anything that scales. */
export function handleScale(stores: StoreAccess): SubresourceHandler {
  return (context, { target, store, subresource }, parts) => {
    const { virtual, resource } = target.definition;
    // A virtual kind lends its path to the core kind of the same name.
    return handle(context, { target, subresource, store: virtual === true ? stores(resource) : store }, parts);
  };
}

function handle(context: RequestContext, endpoint: ResourceEndpoint, parts: ServerParts): Promise<void> {
  const target = bodyKind(endpoint.store.scheme, scaleVersionOf(endpoint.target.groupVersion), 'Scale');
  const negotiated = negotiateForm(context, { ...endpoint, target });
  const scalable: Scalable = { endpoint, access: endpoint.subresource!.scale!, target, negotiated };
  switch (context.info.verb) {
    case 'get':
      return getScale(context, scalable);
    case 'update':
      return putScale(context, scalable, parts);
    case 'patch':
      return patchScale(context, scalable, parts);
    default:
      throw genericServerResponse(405);
  }
}

async function getScale(context: RequestContext, scalable: Scalable): Promise<void> {
  const { store } = scalable.endpoint;
  const { namespace, name } = context.info;
  const resourceVersion = context.hasQuery ? (context.query.get('resourceVersion') ?? '') : '';
  try {
    const object = await getObject(store, namespace, name, freshnessOf(resourceVersion, '', 0));
    answerScale(context, scalable, object.object());
  } catch (error) {
    throw isNotFound(error) ? notFound(scaleResource(scalable), name) : error;
  }
}

/** Errors name the subresource; for replication controllers it counts as one of the autoscaling group. */
function scaleResource({ endpoint }: Scalable): { group: string; resource: string } {
  const { group, resource } = endpoint.store.definition;
  return { group: group === '' ? 'autoscaling' : group, resource: `${resource}/scale` };
}

async function putScale(context: RequestContext, scalable: Scalable, parts: ServerParts): Promise<void> {
  const options = parseWriteOptions(context.query, 'UpdateOptions');
  const { endpoint, target } = scalable;
  const body = decodeBodyKind<Scale>(
    context,
    endpoint.store.scheme,
    'Scale',
    [target.groupVersion],
    options.fieldValidation,
  );
  matchNamespace(context, { ...endpoint, target }, body);
  matchName(context, body);
  await setScale(context, scalable, parts, options, () => deepCopy(body));
}

async function patchScale(context: RequestContext, scalable: Scalable, parts: ServerParts): Promise<void> {
  const type = patchTypeOf(context);
  const options = parseWriteOptions(context.query, 'PatchOptions');
  const strict = new StrictProblems(options.fieldValidation);
  const { endpoint, target } = scalable;
  const patched = async (current: Scale): Promise<Scale> => {
    const patch = parsePatch(context, type, strict.onDuplicate);
    const document = await applyToDocument(parts, patch, current, target.version.message);
    const refusal = (reason: string): Error => patchRefusal(type, patch.value, document, reason);
    const scale = normalizeScale(document, target, strict, refusal);
    strict.report(context, refusal);
    matchNamespace(context, { ...endpoint, target }, scale);
    matchName(context, scale);
    return scale;
  };
  await setScale(context, scalable, parts, options, patched);
}

function normalizeScale(
  document: unknown,
  target: VersionedResource,
  strict: StrictProblems,
  refusal: (reason: string) => Error,
): Scale {
  try {
    const scale = normalize<Scale>(document, target.schema, { onUnknown: strict.onUnknown });
    return { ...scale, kind: target.kind, apiVersion: target.groupVersion };
  } catch (error) {
    if (error instanceof DecodeError) throw refusal(error.message);
    throw error;
  }
}

/** Brings the replicas of what `make` gives into the object and answers with the Scale that results. */
async function setScale(
  context: RequestContext,
  scalable: Scalable,
  parts: ServerParts,
  options: WriteOptions,
  make: (current: Scale) => Promise<Scale> | Scale,
): Promise<void> {
  const { endpoint, access } = scalable;
  const { store } = endpoint;
  const result = await updateObject(store, {
    ...writeRequest(context, endpoint, parts, options.dryRun),
    // Admission sees the Scale, below.
    admission: noAdmission,
    allowCreate: false,
    async transform(stored) {
      if (stored === undefined) throw notFound(store.groupResource, context.info.name);
      const current = stored.privateObject();
      const scale = await make(scaleOf(scalable, current));
      await admitDocument(context, endpoint, parts, 'UPDATE', scale, scaleOf(scalable, current), options.dryRun);
      checkScale(scalable, scale, current);
      access.set(current, scaleReplicas(scale));
      setVersion(current, scale.metadata.resourceVersion);
      return current;
    },
  });
  answerScale(context, scalable, result.object.object());
}

function scaleOf({ access, target }: Scalable, object: ApiObject): Scale {
  return buildScale(object.metadata, access.get(object), scaleVersionOf(target.groupVersion));
}

function checkScale(scalable: Scalable, scale: Scale, current: ApiObject): void {
  const errors = new FieldErrors();
  validateScale(scale, errors);
  const { name = '', uid = '' } = scale.metadata;
  if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
  if (uid === '' || uid === current.metadata.uid) return;
  const { group, resource } = scalable.endpoint.store.definition;
  throw conflict(
    { group, resource: `${resource}/scale` },
    name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`,
  );
}

/** The Scale's version is the object's: an update that names none overwrites. */
function setVersion(object: ApiObject, resourceVersion: string | undefined): void {
  if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
  else delete object.metadata.resourceVersion;
}

function answerScale(context: RequestContext, scalable: Scalable, object: ApiObject): void {
  answerObject(context, 200, shownObject(scaleOf(scalable, object)), scalable.negotiated);
}
