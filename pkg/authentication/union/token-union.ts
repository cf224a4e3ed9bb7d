import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';

/**
 * Asks token authenticators in their order until one knows the token. When none does, throws the first reason why, a
 * failure before a bad token; gives undefined where none had a reason.
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

/** A failure of ours says more than a token that is not good. */
export function worstOf(reasons: readonly unknown[]): unknown {
  return reasons.find((reason) => !(reason instanceof InvalidCredentials)) ?? reasons[0];
}
