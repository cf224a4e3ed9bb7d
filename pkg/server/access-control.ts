import type { AdmissionChain } from '../admission/admission.ts';
import type { RequestAuthenticator, TokenAuthenticator } from '../authentication/authenticator.ts';
import type { ServiceAccountTokens } from '../authentication/service-account/build-service-accounts.ts';
import type { Authorizer } from '../authorization/authorizer.ts';

/**
 * Who gets in, what they may do, and what is done to what they bring: made once the stores exist, since each part looks
 * at objects.
 */
export interface AccessControl {
  readonly authenticator: RequestAuthenticator;
  /** `WWW-Authenticate` of 401 answers; undefined for none. */
  readonly challenge: string | undefined;
  /** Whose token it is, for TokenReviews. */
  readonly tokens: TokenAuthenticator;
  readonly serviceAccounts: ServiceAccountTokens;
  readonly authorizer: Authorizer;
  /** Enabled plugins in their order. */
  readonly admission: AdmissionChain;
}
