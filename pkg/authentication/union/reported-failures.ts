import { InvalidCredentials, type TokenAuthenticator } from '../authenticator.ts';

/**
 * Tokens that cannot be checked count as invalid, and the failure is reported to the server's log. For callers without
 * a log.
 */
export function reportingFailures(
  tokens: TokenAuthenticator,
  onError: (error: unknown, where: string) => void,
): TokenAuthenticator {
  return {
    name: tokens.name,
    async authenticateToken(token, audiences) {
      try {
        return await tokens.authenticateToken(token, audiences);
      } catch (error) {
        if (error instanceof InvalidCredentials) throw error;
        onError(error, 'authentication');
        throw new InvalidCredentials('the token could not be checked');
      }
    },
  };
}
