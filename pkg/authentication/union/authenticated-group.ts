import type { UserInfo } from '../../api/resource-definition.ts';
import { ANONYMOUS, UNAUTHENTICATED } from '../anonymous/authenticator.ts';
import type { Authenticated, RequestAuthenticator, TokenAuthenticator } from '../authenticator.ts';

export const AUTHENTICATED = 'system:authenticated';

/** The user, in the group of everybody who is known. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS || user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function inGroup(known: Authenticated | undefined): Authenticated | undefined {
  return known === undefined ? undefined : { ...known, user: withAuthenticatedGroup(known.user) };
}

export function addingAuthenticatedGroup(authenticator: RequestAuthenticator): RequestAuthenticator {
  return { name: authenticator.name, authenticate: async (credentials) => inGroup(await authenticator.authenticate(credentials)) };
}

export function addingAuthenticatedGroupToTokens(tokens: TokenAuthenticator): TokenAuthenticator {
  return { name: tokens.name, authenticateToken: async (token, audiences) => inGroup(await tokens.authenticateToken(token, audiences)) };
}
