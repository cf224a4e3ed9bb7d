import type { UserInfo } from '../../api/resource-definition.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { blinded } from '../constant-time.ts';

const admin: UserInfo = { name: 'admin', uid: 'admin', groups: ['system:masters'] };

/** The administrator token that this server generated or was given. */
export function adminTokenAuthenticator(token: string): TokenAuthenticator {
  const expected = blinded(token);
  return {
    name: 'AdminToken',
    authenticateToken: (presented) => (blinded(presented) === expected ? { user: admin } : undefined),
  };
}
