import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../../api/resource-definition.ts';
import { unauthorized } from '../../apimachinery/status-error.ts';
import type { Filter } from '../request-context.ts';

/** Says who a request's bearer token belongs to; undefined when it is nobody's. */
export type TokenAuthenticator = (token: string) => UserInfo | undefined;

/** Lets in whom the authenticator knows; everybody else gets 401, without a hint at why. */
export function authenticate(authenticator: TokenAuthenticator): Filter {
  return (next) => (context) => {
    const header = context.headers.authorization ?? '';
    const user = /^bearer /i.test(header) ? authenticator(header.slice(7).trim()) : undefined;
    if (user === undefined) throw unauthorized('Unauthorized');
    context.user = user;
    return next(context);
  };
}

/** The one administrator whose token is known; compared in constant time. The token's length is no secret: all have the same. */
export function adminToken(token: string): TokenAuthenticator {
  const expected = Buffer.from(token);
  const admin: UserInfo = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };
  return (presented) => {
    const given = Buffer.from(presented);
    return given.length === expected.length && timingSafeEqual(given, expected) ? admin : undefined;
  };
}
