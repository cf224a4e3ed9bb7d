import type { UserInfo } from '../../api/resource-definition.ts';
import { ANONYMOUS, UNAUTHENTICATED } from '../anonymous/authenticator.ts';
import type { Authenticated, RequestAuthenticator, TokenAuthenticator } from '../authenticator.ts';

export const AUTHENTICATED = 'system:authenticated';

/**
 * Who was put into the group before. A token stands for the same object again and again, and so does what is made of
 * it: later steps know it by its identity.
 *
 * Process-wide: an entry belongs to its user object, which belongs to one server.
 */
const inGroupBefore = new WeakMap<UserInfo, UserInfo>();

/** The user, in the group of all authenticated users; the same object for the same user. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS || user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED))
    return user;
  let known = inGroupBefore.get(user);
  if (known === undefined) inGroupBefore.set(user, (known = { ...user, groups: [...user.groups, AUTHENTICATED] }));
  return known;
}

function inGroup(known: Authenticated | undefined): Authenticated | undefined {
  return known === undefined ? undefined : { ...known, user: withAuthenticatedGroup(known.user) };
}

export function addingAuthenticatedGroup(authenticator: RequestAuthenticator): RequestAuthenticator {
  return {
    name: authenticator.name,
    authenticate: async (credentials) => inGroup(await authenticator.authenticate(credentials)),
  };
}

export function addingAuthenticatedGroupToTokens(tokens: TokenAuthenticator): TokenAuthenticator {
  return {
    name: tokens.name,
    authenticateToken: async (token, audiences) => inGroup(await tokens.authenticateToken(token, audiences)),
  };
}
