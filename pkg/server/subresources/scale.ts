import { scaleVersionOf } from '../../api/autoscaling/scale.ts';
import type { VersionedResource } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { genericServerResponse, isNotFound, notFound } from '../../apimachinery/errors/status-error.ts';
import { DecodeError, normalize } from '../../codec/normalize.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { scaleOf, updateScale, type Scale, type ScaleView } from '../../registry/subresources/update-scale.ts';
import { StrictProblems } from '../verbs/strict-problems.ts';
import type { RequestContext } from '../request/request-context.ts';
import { freshnessOf, parseWriteOptions, type FieldValidation, type WriteOptions } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { admitDocument } from './admit-document.ts';
import { answerObject, negotiateForm, type Negotiated } from '../verbs/answer-object.ts';
import { bodyKind } from './body-kinds.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { bodyPerAttempt } from '../verbs/body-per-attempt.ts';
import { matchName, matchNamespace } from '../verbs/match-path.ts';
import { patchRefusal } from '../verbs/patch-refusal.ts';
import { applyToDocument, parsePatch, patchTypeOf, type ParsedPatch } from '../verbs/patch.ts';
import { transientObject } from '../verbs/transient-object.ts';
import { writeRequest } from '../verbs/strategy-context.ts';
import type { KindHandler } from './subresource-handlers.ts';

/** A scalable resource with the Scale of its path's version. */
interface Scalable extends ScaleView {
  readonly endpoint: ResourceEndpoint;
  readonly target: VersionedResource;
  readonly negotiated: Negotiated;
}

/** The scale of a virtual kind, which lends its path to the core kind of the same name. */
export function handleLentScale(stores: StoreAccess): KindHandler {
  return (context, endpoint, parts) => {
    const { resource } = endpoint.target.definition;
    return handleScale(context, { ...endpoint, store: stores({ group: '', resource }) }, parts);
  };
}

/** GET, PUT and PATCH of the `scale` of anything that scales. */
export function handleScale(context: RequestContext, endpoint: ResourceEndpoint, parts: ServerParts): Promise<void> {
  const version = scaleVersionOf(endpoint.target.groupVersion);
  const target = bodyKind(endpoint.store.scheme, version, 'Scale');
  const negotiated = negotiateForm(context, { ...endpoint, target });
  const scalable: Scalable = { endpoint, access: endpoint.subresource!.scale!, version, target, negotiated };
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
  const read = (validation: FieldValidation): Scale => {
    const body = decodeBodyKind<Scale>(context, endpoint.store.scheme, 'Scale', [target.groupVersion], validation);
    matchNamespace(context, { ...endpoint, target }, body);
    matchName(context, body);
    return body;
  };
  const body = bodyPerAttempt(read(options.fieldValidation), () => read('Ignore'));
  await setScale(context, scalable, parts, options, body);
}

async function patchScale(context: RequestContext, scalable: Scalable, parts: ServerParts): Promise<void> {
  const type = patchTypeOf(context);
  const options = parseWriteOptions(context.query, 'PatchOptions');
  const strict = new StrictProblems(options.fieldValidation);
  const { endpoint, target } = scalable;
  let patch: ParsedPatch | undefined;
  const patched = async (current: Scale): Promise<Scale> => {
    const { value } = (patch ??= parsePatch(context, type, strict.onDuplicate));
    const document = await applyToDocument(parts, patch, current, target.version.message);
    const refusal = (reason: string): Error => patchRefusal(type, value, document, reason);
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

/** Sets what `make` gives, shown to admission, and answers with the Scale that results. */
async function setScale(
  context: RequestContext,
  scalable: Scalable,
  parts: ServerParts,
  options: WriteOptions,
  make: (current: Scale) => Promise<Scale> | Scale,
): Promise<void> {
  const { endpoint } = scalable;
  const object = await updateScale(endpoint.store, scalable, {
    ...writeRequest(context, endpoint, parts, options.dryRun),
    make,
    admit: (scale, old) => admitDocument(context, endpoint, parts, 'UPDATE', scale, old, options.dryRun),
  });
  answerScale(context, scalable, object.object());
}

function answerScale(context: RequestContext, scalable: Scalable, object: ApiObject): void {
  answerObject(context, 200, transientObject(scaleOf(scalable, object)), scalable.negotiated);
}
