import { genericServerResponse } from '../../apimachinery/status-error.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { RequestContext } from '../request-context.ts';
import type { ResourceEndpoint } from '../resource-endpoint.ts';

/** POST to `serviceaccounts/<name>/token`. This server issues no tokens, and answers as a server without a signing key does. */
export async function handleToken(context: RequestContext, endpoint: ResourceEndpoint): Promise<void> {
  const { namespace, name } = context.info;
  await getObject(endpoint.store, namespace, name, { kind: 'consistent' });
  throw genericServerResponse(404);
}
