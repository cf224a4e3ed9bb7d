import type { AdmissionChain } from '../admission/admission.ts';
import type { RequestAuthenticator, TokenAuthenticator } from '../authentication/authenticator.ts';
import type { ServiceAccountTokens } from '../authentication/service-account/build-service-accounts.ts';
import type { Authorizer } from '../authorization/authorizer.ts';

/**
 * Authentication, authorization and admission of a server: made when the stores exist, since each part reads objects.
 */
export interface AccessControl {
  readonly authenticator: RequestAuthenticator;
  /** `WWW-Authenticate` of 401 answers; undefined for none. */
  readonly challenge: string | undefined;
  /** Authenticates the tokens of TokenReviews. */
  readonly tokens: TokenAuthenticator;
  readonly serviceAccounts: ServiceAccountTokens;
  readonly authorizer: Authorizer;
  /** Enabled plugins in their order. */
  readonly admission: AdmissionChain;
}
