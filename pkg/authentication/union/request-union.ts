import type { Authenticated, RequestAuthenticator } from '../authenticator.ts';
import { worstOf } from './token-union.ts';

/**
 * Runs authenticators in their order until one returns a user. When none does, throws the first error, a failure before
 * an invalid credential. `whenNothingShown` runs when the request has no credentials at all, not when some were
 * invalid.
 */
export function requestUnion(
  authenticators: readonly RequestAuthenticator[],
  whenNothingShown?: RequestAuthenticator,
): RequestAuthenticator {
  return {
    name: 'Requests',
    async authenticate(credentials): Promise<Authenticated | undefined> {
      const reasons: unknown[] = [];
      for (const authenticator of authenticators) {
        try {
          const asked = authenticator.authenticate(credentials);
          const known = asked instanceof Promise ? await asked : asked;
          if (known !== undefined) return known;
        } catch (error) {
          reasons.push(error);
        }
      }
      if (reasons.length > 0) throw worstOf(reasons);
      return whenNothingShown?.authenticate(credentials);
    },
  };
}
