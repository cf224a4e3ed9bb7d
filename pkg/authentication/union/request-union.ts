import type { Authenticated, RequestAuthenticator } from '../authenticator.ts';
import { worstOf } from './token-union.ts';

/**
 * Asks authenticators in their order until one knows who sends a request. When none does, throws the first reason why,
 * a failure before a bad credential. `whenNothingShown` is asked when nobody found anything at all, not when something
 * was found bad.
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
