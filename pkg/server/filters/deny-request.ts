import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import { forbiddenRequest } from '../../authorization/forbidden.ts';
import type { RequestContext } from '../request/request-context.ts';

/**
 * Refuses a denied request. The answer quotes the request, so browsers must not guess its type. Throws
 * 403.
 */
export function denyRequest(context: RequestContext, attributes: AuthorizationAttributes, reason: string): never {
  context.exchange.setHeader('x-content-type-options', 'nosniff');
  throw forbiddenRequest(attributes, reason);
}
