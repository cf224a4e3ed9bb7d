import type { UserInfo } from '../../api/resource-definition.ts';
import { unauthorized } from '../../apimachinery/status-error.ts';
import { InvalidCredentials, type Authenticated, type RequestAuthenticator } from '../../authentication/authenticator.ts';
import type { Filter, RequestContext } from '../request-context.ts';

const AUTHENTICATED = 'system:authenticated';

/** Lets in whom the authenticator knows; everybody else gets 401, without a hint at why. The credential goes no further. */
export function authenticate(authenticator: RequestAuthenticator, onError: (error: unknown, where: string) => void): Filter {
  return (next) => async (context) => {
    const known = await ask(authenticator, context, onError);
    if (known === undefined) throw unauthorized('Unauthorized');
    context.user = withGroup(known.user);
    delete context.headers.authorization;
    return next(context);
  };
}

async function ask(authenticator: RequestAuthenticator, context: RequestContext, onError: (error: unknown, where: string) => void): Promise<Authenticated | undefined> {
  try {
    return await authenticator.authenticate(context);
  } catch (error) {
    if (!(error instanceof InvalidCredentials)) onError(error, 'authentication');
    return undefined;
  }
}

function withGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED) || user.name === 'system:anonymous') return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}
