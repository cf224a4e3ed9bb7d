import { forbidden } from '../../apimachinery/errors/status-error.ts';
import { updateObject } from '../../registry/update-object.ts';
import { decodeObject, turnAfterDecoding } from './decode-body.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requestAttributes } from '../request/request-attributes.ts';
import { parseWriteOptions, type FieldValidation } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { answerObject, negotiateForm } from './answer-object.ts';
import { bodyPerAttempt } from './body-per-attempt.ts';
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
  const read = (validation: FieldValidation): ApiObject => {
    const decoded = decodeObject(context, served.store.scheme, served.target, validation);
    matchNamespace(context, served, decoded);
    matchName(context, decoded);
    return decoded;
  };
  const object = read(options.fieldValidation);
  const preconditionUid = object.metadata.uid;
  await turnAfterDecoding(context);
  const result = await updateObject(served.store, {
    ...writeRequest(context, served, parts, options.dryRun),
    // Nothing is reported twice.
    transform: bodyPerAttempt(object, () => read('Ignore')),
    preconditionUid,
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
