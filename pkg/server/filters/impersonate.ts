import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../../authorization/authorizer.ts';
import { UndecidedError } from '../../authorization/union/authorizer.ts';
import { respondInternalError } from '../answers/internal-error-text.ts';
import type { Filter, RequestContext } from '../request/request-context.ts';
import { denyRequest } from './deny-request.ts';
import {
  impersonatedUser,
  isImpersonationHeader,
  readImpersonation,
  type ImpersonationTarget,
} from './impersonation-targets.ts';

/**
 * Lets a request act as another user, when its sender may impersonate every part of it: user, groups, uid and each
 * extra value. The headers go no further. The sender stays known as the request's impersonator.
 */
export function impersonate(authorizer: Authorizer): Filter {
  return (next) => async (context) => {
    const wanted = readImpersonation(context);
    if (wanted === undefined) return next(context);
    if (wanted.username === '') {
      respondInternalError(
        context,
        `requested [${wanted.targets.map(({ text }) => text).join(' ')}] without impersonating a user`,
      );
      return;
    }
    for (const target of wanted.targets) await check(authorizer, context, target);
    context.impersonator = context.user;
    context.user = impersonatedUser(wanted);
    context.removeHeaders(isImpersonationHeader);
    return next(context);
  };
}

async function check(authorizer: Authorizer, context: RequestContext, target: ImpersonationTarget): Promise<void> {
  const attributes = { ...target.attributes, user: context.user, verb: 'impersonate', isResource: true, path: '' };
  const { decision, reason } = await decide(authorizer, attributes);
  if (decision !== 'allow') denyRequest(context, attributes, reason);
}

/** Where no authorizer can decide, impersonation is refused. */
async function decide(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
  try {
    return await authorizer.authorize(attributes);
  } catch (error) {
    if (error instanceof UndecidedError) return { decision: 'no-opinion', reason: error.reason };
    throw error;
  }
}
