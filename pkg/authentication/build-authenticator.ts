import type { X509Certificate } from 'node:crypto';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { reloadedFiles } from '../options/reloaded-files.ts';
import { adminTokenAuthenticator } from './admin-token/authenticator.ts';
import { anonymousAuthenticator } from './anonymous/authenticator.ts';
import { forAudiences } from './audiences.ts';
import { observedAuthenticator } from './authentication-observer.ts';
import type { RequestHeaderConfig } from './authentication-config.ts';
import type { AuthenticationSettings } from './authentication-settings.ts';
import type { RequestAuthenticator, TokenAuthenticator } from './authenticator.ts';
import { BASIC_CHALLENGE, basicAuthFileAuthenticator } from './basic-auth-file/authenticator.ts';
import { bearerTokenAuthenticator } from './bearer-token.ts';
import { bootstrapTokenAuthenticator } from './bootstrap-token/authenticator.ts';
import { accountObjectsIn } from './service-account/account-objects.ts';
import { clientCertificateAuthenticator } from './client-certificate/authenticator.ts';
import { readAuthorities } from './client-certificate/authorities.ts';
import { certificateVerifier, type VerifiedCertificate } from './client-certificate/certificate-verifier.ts';
import { oidcAuthenticator } from './oidc/authenticator.ts';
import { readText } from './option-files.ts';
import { requestHeaderAuthenticator } from './request-header/authenticator.ts';
import { buildServiceAccounts, type ServiceAccountTokens } from './service-account/build-service-accounts.ts';
import { tokenFileAuthenticator } from './token-file/authenticator.ts';
import { buildTokenWebhook } from './token-webhook/build-token-webhook.ts';
import { addingAuthenticatedGroup, addingAuthenticatedGroupToTokens } from './union/authenticated-group.ts';
import { reportingFailures } from './union/reported-failures.ts';
import { requestUnion } from './union/request-union.ts';
import { tokenUnion } from './union/token-union.ts';
import { websocketTokenAuthenticator } from './websocket-token.ts';

/** The authenticators, and everything else built from the same keys. */
export interface Authentication {
  readonly authenticator: RequestAuthenticator;
  /** The token authenticators alone, for TokenReviews. */
  readonly tokens: TokenAuthenticator;
  readonly serviceAccounts: ServiceAccountTokens;
  /** `WWW-Authenticate` of 401 answers; undefined where clients cannot be asked for credentials. */
  readonly challenge: string | undefined;
}

type Present<T> = Exclude<T, undefined>;

/**
 * Builds the configured authenticators, in the order of a stock server: proxies, passwords, certificates, then tokens;
 * anonymous last. Throws `OptionsError` for a key of the server's own that cannot be read.
 */
export function buildAuthenticator(settings: AuthenticationSettings): Authentication {
  const { config, observer, onError } = settings;
  const serviceAccounts = buildServiceAccounts(settings);
  const tokens = tokenUnion(tokenAuthenticators(settings, serviceAccounts));
  const ways = present([
    config.requestHeader && requestHeader(settings, config.requestHeader),
    config.passwords && basicAuthFileAuthenticator(config.passwords),
    config.clientAuthorityFile === undefined ? undefined : clientCertificate(settings, config.clientAuthorityFile),
    bearerTokenAuthenticator(tokens),
    websocketTokenAuthenticator(tokens),
  ]);
  const union = requestUnion(ways, config.anonymous ? anonymousAuthenticator : undefined);
  return {
    authenticator: observedAuthenticator(addingAuthenticatedGroup(union), observer),
    tokens: addingAuthenticatedGroupToTokens(reportingFailures(tokens, onError)),
    serviceAccounts,
    challenge: config.passwords === undefined ? undefined : BASIC_CHALLENGE,
  };
}

/** Local ones first: tokens known here cause no call of a webhook. */
function tokenAuthenticators(
  settings: AuthenticationSettings,
  { authenticator, audiences }: ServiceAccountTokens,
): readonly TokenAuthenticator[] {
  const { config, stores, nowMs, observer } = settings;
  const anyAudience = (tokens: TokenAuthenticator | undefined): TokenAuthenticator | undefined =>
    tokens === undefined ? undefined : forAudiences(audiences, tokens);
  const systemSecrets = accountObjectsIn(stores).secret;
  return present([
    anyAudience(adminTokenAuthenticator(settings.adminToken)),
    anyAudience(config.tokens && tokenFileAuthenticator(config.tokens)),
    authenticator,
    config.bootstrapTokens
      ? anyAudience(bootstrapTokenAuthenticator((name) => systemSecrets('kube-system', name), nowMs))
      : undefined,
    anyAudience(config.oidc && oidcAuthenticator({ ...config.oidc, nowMs })),
    config.tokenWebhook && buildTokenWebhook(config.tokenWebhook, audiences, observer),
  ]);
}

function clientCertificate(settings: AuthenticationSettings, authorityFile: string): RequestAuthenticator {
  const { observer, nowMs } = settings;
  return clientCertificateAuthenticator(verifier(authorityFile, settings), ({ notAfterMs }) =>
    observer.clientCertificateUsed((notAfterMs - nowMs()) / 1000),
  );
}

function requestHeader(
  settings: AuthenticationSettings,
  { authorityFile, ...headers }: RequestHeaderConfig,
): RequestAuthenticator {
  return requestHeaderAuthenticator({ ...headers, verify: verifier(authorityFile, settings) });
}

function verifier(
  file: string,
  { nowMs, onError }: AuthenticationSettings,
): (certificate: X509Certificate) => VerifiedCertificate {
  return certificateVerifier(
    reloadedFiles({
      files: [file],
      read: () => readAuthorities(readText(file)),
      onError: (error) => onError(error, `reading ${file} again`),
      nowMs: steadyMs,
    }),
    nowMs,
  );
}

function present<T>(items: readonly T[]): Present<T>[] {
  return items.filter((item): item is Present<T> => item !== undefined);
}
