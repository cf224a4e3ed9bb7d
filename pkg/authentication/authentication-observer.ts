import type { UserInfo } from '../api/resource-definition.ts';
import type { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';
import type { RequestAuthenticator } from './authenticator.ts';
import type { TokenCacheObserver } from './token-cache/token-cache.ts';

/** The result of authentication: a user; no credentials; or credentials that are invalid or could not be checked. */
export type AuthenticationResult = 'success' | 'failure' | 'error';

/** Called with the results of authentication, for metrics. */
export interface AuthenticationObserver {
  /** One request was authenticated; `user` is its user. */
  attempted(result: AuthenticationResult, seconds: number, user: UserInfo | undefined): void;
  /** A client certificate was valid, and stays so for this many seconds. */
  clientCertificateUsed(secondsLeft: number): void;
  /**
   * A token of a service account was valid. `legacy`: from a secret; `stale`, `valid`: tokens that are to be replaced
   * some day, past that day or not.
   */
  serviceAccountTokenUsed(kind: 'legacy' | 'stale' | 'valid'): void;
  /** A token from a secret was used whose secret exists. */
  legacyTokenUsed(kind: 'generated' | 'manual' | 'invalidated'): void;
  readonly tokenCache: TokenCacheObserver;
  readonly webhookCertificates: DeprecatedCertificates;
}

/** The authenticator, each of its results counted and timed. */
export function observedAuthenticator(
  authenticator: RequestAuthenticator,
  observer: Pick<AuthenticationObserver, 'attempted'>,
): RequestAuthenticator {
  return {
    name: authenticator.name,
    async authenticate(credentials) {
      const begin = performance.now();
      const seconds = (): number => (performance.now() - begin) / 1000;
      try {
        const known = await authenticator.authenticate(credentials);
        observer.attempted(known === undefined ? 'failure' : 'success', seconds(), known?.user);
        return known;
      } catch (error) {
        observer.attempted('error', seconds(), undefined);
        throw error;
      }
    },
  };
}
