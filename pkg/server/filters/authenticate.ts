import { createHash, timingSafeEqual } from 'node:crypto';
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

/** The one administrator whose token is known; compared in constant time, by digest so that length does not show. */
export function adminToken(token: string): TokenAuthenticator {
  const expected = digest(token);
  const admin: UserInfo = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };
  return (presented) => (timingSafeEqual(digest(presented), expected) ? admin : undefined);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
