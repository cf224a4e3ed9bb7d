import type { UserInfo } from '../../api/resource-definition.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { blinded } from '../constant-time.ts';
import { readCredentials } from '../credentials-file.ts';

/**
 * Tokens from a file: `token,user,uid[,"group1,group2"]` lines. Of a repeated token the last line counts. Throws like
 * `readCredentials`.
 */
export function tokenFileAuthenticator(text: string): TokenAuthenticator {
  const users = new Map<string, UserInfo>(readCredentials(text).map(({ secret, user }) => [blinded(secret), user]));
  return {
    name: 'TokenFile',
    authenticateToken(token) {
      const user = users.get(blinded(token));
      return user === undefined ? undefined : { user };
    },
  };
}
