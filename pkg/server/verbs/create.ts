import { createObject } from '../../registry/create-object.ts';
import { decodeObject, turnAfterDecoding } from './decode-body.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { answerObject, negotiateForm } from './answer-object.ts';
import { matchNamespace } from './match-path.ts';
import { writeRequest } from './strategy-context.ts';

/** POST to a collection. */
export async function handleCreate(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
): Promise<void> {
  const negotiated = negotiateForm(context, served);
  const options = parseWriteOptions(context.query, 'CreateOptions');
  const object = decodeObject(context, served.store.scheme, served.target, options.fieldValidation);
  await turnAfterDecoding(context);
  matchNamespace(context, served, object);
  const write = writeRequest(context, served, parts, options.dryRun);
  const created = await createObject(served.store, object, { ...write, name: object.metadata.name ?? '' });
  answerObject(context, 201, created, negotiated);
}
