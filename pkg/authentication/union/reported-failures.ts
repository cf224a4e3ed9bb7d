import { InvalidCredentials, type TokenAuthenticator } from '../authenticator.ts';

/**
 * Tokens that cannot be checked are taken like bad ones; whoever runs the server hears why they could not. For callers
 * that have no log of their own.
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
