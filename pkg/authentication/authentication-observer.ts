import type { UserInfo } from '../api/resource-definition.ts';
import type { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';
import type { RequestAuthenticator } from './authenticator.ts';
import type { TokenCacheObserver } from './token-cache/token-cache.ts';

/**
 * What came of asking who sends a request: somebody, nothing was shown, something bad was shown or could not be
 * checked.
 */
export type AuthenticationResult = 'success' | 'failure' | 'error';

/** Told what becomes of credentials, for metrics. */
export interface AuthenticationObserver {
  /** One request was looked at; `user` is who sent it. */
  attempted(result: AuthenticationResult, seconds: number, user: UserInfo | undefined): void;
  /** A certificate of a client was good, for so many more seconds. */
  clientCertificateUsed(secondsLeft: number): void;
  /**
   * A token of a service account was good. `legacy`: from a secret; `stale`, `valid`: tokens that are to be replaced
   * some day, past that day or not.
   */
  serviceAccountTokenUsed(kind: 'legacy' | 'stale' | 'valid'): void;
  /** A token from a secret was shown whose secret is there. */
  legacyTokenUsed(kind: 'generated' | 'manual' | 'invalidated'): void;
  readonly tokenCache: TokenCacheObserver;
  readonly webhookCertificates: DeprecatedCertificates;
}

/** The authenticator, each of its answers counted and timed. */
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
