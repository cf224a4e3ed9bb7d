import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../../api/resource-definition.ts';
import { InvalidCredentials, type TokenAuthenticator } from '../authenticator.ts';

const admin: UserInfo = { name: 'admin', uid: 'admin', groups: ['system:masters'] };

/** The one administrator whose token this server made. Compared in constant time; the token's length is no secret: all have the same. */
export function adminTokenAuthenticator(token: string): TokenAuthenticator {
  const expected = Buffer.from(token);
  return {
    name: 'AdminToken',
    authenticateToken(presented) {
      const given = Buffer.from(presented);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new InvalidCredentials('not the administrator\'s token');
      return { user: admin };
    },
  };
}
