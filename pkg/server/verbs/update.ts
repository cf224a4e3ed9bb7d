import { forbidden } from '../../apimachinery/errors/status-error.ts';
import { updateObject } from '../../registry/update-object.ts';
import { decodeObject, turnAfterDecoding } from './decode-body.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requestAttributes } from '../request/request-attributes.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { answerObject, negotiateForm } from './answer-object.ts';
import { matchName, matchNamespace } from './match-path.ts';
import { writeRequest } from './strategy-context.ts';

/** PUT of an object, or of a subresource whose body is the object. */
export async function handleUpdate(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
): Promise<void> {
  const negotiated = negotiateForm(context, served);
  const options = parseWriteOptions(context.query, 'UpdateOptions');
  const object = decodeObject(context, served.store.scheme, served.target, options.fieldValidation);
  await turnAfterDecoding(context);
  matchNamespace(context, served, object);
  matchName(context, object);
  const result = await updateObject(served.store, {
    ...writeRequest(context, served, parts, options.dryRun),
    // Each attempt changes its object: the body must survive for the next one.
    transform: () => deepCopy(object),
    preconditionUid: object.metadata.uid,
    authorizeCreate: () => authorizeCreate(context, parts),
  });
  answerObject(context, result.created ? 201 : 200, result.object, negotiated);
}

/** A replacement that creates needs the permission for that as well. Throws 403. */
async function authorizeCreate(context: RequestContext, { authorizer }: ServerParts): Promise<void> {
  const attributes = { ...requestAttributes(context), verb: 'create' };
  const { decision, reason } = await authorizer.authorize(attributes);
  if (decision !== 'allow')
    throw forbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, reason);
}
