import type { RequestContext } from '../request/request-context.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';

/** Answers one kind of request in place of the generic handlers; throws StatusError. */
export type SubresourceHandler = (
  context: RequestContext,
  endpoint: ResourceEndpoint,
  parts: ServerParts,
) => Promise<void>;
