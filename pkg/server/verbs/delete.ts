import { forbidden, successStatus } from '../../apimachinery/errors/status-error.ts';
import { deleteCollection } from '../../registry/delete-collection.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import { checkDeleteOptions, type DeleteOptions, type DeleteOptionsBody } from '../../registry/delete-options.ts';
import { decodeOptions } from './decode-body.ts';
import type { RequestContext } from '../request/request-context.ts';
import { booleanParameter, integerParameter, parseListOptions } from '../request/request-options.ts';
import { respondStatus } from '../answers/respond.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { answerObject, negotiateForm } from './answer-object.ts';
import { answerList, readChunk } from './list.ts';
import { writeRequest } from './strategy-context.ts';

/** DELETE of one object. */
export async function handleDelete(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
): Promise<void> {
  const negotiated = negotiateForm(context, served);
  const options = parseDeleteOptions(context);
  warnOfDefaultCascade(context, served, options);
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  const { definition } = served.target;
  const refusal = definition.refuseDelete?.(context.info.name);
  if (refusal !== undefined) throw forbidden(served.store.groupResource, context.info.name, refusal);
  const { object, removed } = await deleteObject(served.store, {
    ...writeRequest(context, served, parts, dryRun),
    options,
  });
  if (removed && definition.returnDeletedObject !== true) {
    const details = {
      name: context.info.name,
      ...(served.target.groupVersion.includes('/') ? { group: context.info.group } : {}),
      kind: definition.resource,
      uid: object.object().metadata.uid ?? '',
    };
    respondStatus(context, successStatus(details));
    return;
  }
  // A client that requests cascading by the old option sees by 202 that the object still exists.
  answerObject(context, !removed && options.orphanDependents === false ? 202 : 200, object, negotiated);
}

/** DELETE of a collection; answers with the list of what was deleted. */
export async function handleDeleteCollection(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
): Promise<void> {
  const negotiated = negotiateForm(context, served);
  const options = parseDeleteOptions(context);
  warnOfDefaultCascade(context, served, options);
  const listOptions = parseListOptions(context.query, false);
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  const { chunk, meta } = await readChunk(context, served, listOptions);
  await deleteCollection(
    served.store,
    chunk.objects,
    { ...writeRequest(context, served, parts, dryRun), options },
    parts.deleteCollectionWorkers,
  );
  await answerList(context, chunk, meta, negotiated, parts);
}

function warnOfDefaultCascade(context: RequestContext, { target }: ResourceEndpoint, options: DeleteOptions): void {
  const { defaultCascadeWarning } = target.definition;
  if (
    defaultCascadeWarning === undefined ||
    options.propagationPolicy !== undefined ||
    options.orphanDependents !== undefined
  )
    return;
  context.warn(defaultCascadeWarning);
}

/** The body's options; without a body those of the query. */
function parseDeleteOptions(context: RequestContext): DeleteOptions {
  return checkDeleteOptions(
    context.hasBody ? decodeOptions<DeleteOptionsBody>(context, 'DeleteOptions') : queryOptions(context),
  );
}

function queryOptions(context: RequestContext): DeleteOptionsBody {
  const { query } = context;
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy');
  const dryRun = query.getAll('dryRun').filter((v) => v !== '');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(query.has('orphanDependents') ? { orphanDependents: booleanParameter(query, 'orphanDependents') } : {}),
    ...(propagationPolicy === null || propagationPolicy === '' ? {} : { propagationPolicy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}
