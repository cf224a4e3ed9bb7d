import type { UserInfo } from '../../api/resource-definition.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { forbiddenRequest } from '../../authorization/forbidden.ts';
import type { Filter } from '../request-context.ts';
import { respondInternalError } from '../internal-error-text.ts';
import { impersonatedUser, isImpersonationHeader, readImpersonation, type ImpersonationTarget } from './impersonation-targets.ts';

/**
 * Lets a request go on as somebody else, when its sender may impersonate every part of what it asks for: user, groups, uid and each extra value.
 * The headers go no further. The sender stays known as the request's impersonator.
 */
export function impersonate(authorizer: Authorizer): Filter {
  return (next) => async (context) => {
    const wanted = readImpersonation(context);
    if (wanted === undefined) return next(context);
    if (wanted.username === '') {
      respondInternalError(context, `requested [${wanted.targets.map(({ text }) => text).join(' ')}] without impersonating a user`);
      return;
    }
    for (const target of wanted.targets) await check(authorizer, context.user, target);
    context.impersonator = context.user;
    context.user = impersonatedUser(wanted);
    context.removeHeaders(isImpersonationHeader);
    return next(context);
  };
}

async function check(authorizer: Authorizer, user: UserInfo, target: ImpersonationTarget): Promise<void> {
  const attributes = { ...target.attributes, user, verb: 'impersonate', isResource: true, path: '' };
  const { decision, reason } = await authorizer.authorize(attributes);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
}
