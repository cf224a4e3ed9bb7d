import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';

/**
 * Runs token authenticators in their order until one returns a user. When none does, throws the first error, a failure
 * before an invalid token; returns undefined where none had one.
 */
export function tokenUnion(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    name: 'Tokens',
    async authenticateToken(token, audiences): Promise<Authenticated | undefined> {
      const reasons: unknown[] = [];
      for (const authenticator of authenticators) {
        try {
          const asked = authenticator.authenticateToken(token, audiences);
          const known = asked instanceof Promise ? await asked : asked;
          if (known !== undefined) return known;
        } catch (error) {
          reasons.push(error);
        }
      }
      if (reasons.length > 0) throw worstOf(reasons);
      return undefined;
    },
  };
}

/** A failure of a check says more than an invalid token. */
export function worstOf(reasons: readonly unknown[]): unknown {
  return reasons.find((reason) => !(reason instanceof InvalidCredentials)) ?? reasons[0];
}
