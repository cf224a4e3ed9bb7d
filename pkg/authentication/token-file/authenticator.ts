import type { UserInfo } from '../../api/resource-definition.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { blinded } from '../constant-time.ts';
import type { CredentialsRecord } from '../credentials-file.ts';

/**
 * Tokens that stand in a file: `token,user,uid[,"group1,group2"]` lines. Of a token that stands there twice the last
 * line counts.
 */
export function tokenFileAuthenticator(lines: readonly CredentialsRecord[]): TokenAuthenticator {
  const users = new Map<string, UserInfo>(lines.map(({ secret, user }) => [blinded(secret), user]));
  return {
    name: 'TokenFile',
    authenticateToken(token) {
      const user = users.get(blinded(token));
      return user === undefined ? undefined : { user };
    },
  };
}
