import type { RequestContext } from '../request/request-context.ts';
import type { KindEndpoint, ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';

/** Answers one kind of request in place of the generic handlers; throws StatusError. */
export type SubresourceHandler = (
  context: RequestContext,
  endpoint: ResourceEndpoint,
  parts: ServerParts,
) => Promise<void>;

/** The same for kinds that are not stored; fits those that are as well. */
export type KindHandler = (context: RequestContext, endpoint: KindEndpoint, parts: ServerParts) => Promise<void>;

/**
 * What answers in place of the generic handlers, by the names that the dispatcher looks for: `pods/binding`,
 * `subjectaccessreviews.authorization.k8s.io`, and one for the scale of anything.
 */
export interface SpecialHandlers {
  readonly stored: ReadonlyMap<string, SubresourceHandler>;
  /** Of kinds that are not stored. */
  readonly virtual: ReadonlyMap<string, KindHandler>;
}
