import type { X509Certificate } from 'node:crypto';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { OptionsError } from '../options/options-error.ts';
import { reloadedFiles } from '../options/reloaded-files.ts';
import { adminTokenAuthenticator } from './admin-token/authenticator.ts';
import { anonymousAuthenticator } from './anonymous/authenticator.ts';
import { forAudiences } from './audiences.ts';
import { observedAuthenticator } from './authentication-observer.ts';
import { OptionFiles, readText, type AuthenticationSettings } from './authentication-settings.ts';
import type { RequestAuthenticator, TokenAuthenticator } from './authenticator.ts';
import { BASIC_CHALLENGE, basicAuthFileAuthenticator } from './basic-auth-file/authenticator.ts';
import { bearerTokenAuthenticator } from './bearer-token.ts';
import { bootstrapTokenAuthenticator } from './bootstrap-token/authenticator.ts';
import { accountObjectsIn } from './service-account/account-objects.ts';
import { clientCertificateAuthenticator } from './client-certificate/authenticator.ts';
import { readAuthorities } from './client-certificate/authorities.ts';
import { certificateVerifier, type VerifiedCertificate } from './client-certificate/certificate-verifier.ts';
import { buildOidc } from './oidc/build-oidc.ts';
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
 * anonymous last. Throws `OptionsError` with all errors of the files that options name.
 */
export function buildAuthenticator(settings: AuthenticationSettings): Authentication {
  const { observer, nowMs } = settings;
  const files = new OptionFiles(settings.options);
  const serviceAccounts = buildServiceAccounts(settings, files);
  const tokens = tokenUnion(tokenAuthenticators(settings, files, serviceAccounts));
  const ways = present([
    requestHeader(settings, files),
    files.use('basic-auth-file', (file) => basicAuthFileAuthenticator(readText(file))),
    files.use('client-ca-file', (file) =>
      clientCertificateAuthenticator(verifier(file, settings), ({ notAfterMs }) =>
        observer.clientCertificateUsed((notAfterMs - nowMs()) / 1000),
      ),
    ),
    bearerTokenAuthenticator(tokens),
    websocketTokenAuthenticator(tokens),
  ]);
  if (files.problems.length > 0) throw new OptionsError(files.problems);
  const union = requestUnion(ways, settings.options.bool('anonymous-auth') ? anonymousAuthenticator : undefined);
  return {
    authenticator: observedAuthenticator(addingAuthenticatedGroup(union), observer),
    tokens: addingAuthenticatedGroupToTokens(reportingFailures(tokens, settings.onError)),
    serviceAccounts,
    challenge: settings.options.string('basic-auth-file') === '' ? undefined : BASIC_CHALLENGE,
  };
}

/** Local ones first: tokens known here cause no call of a webhook. */
function tokenAuthenticators(
  settings: AuthenticationSettings,
  files: OptionFiles,
  { authenticator, audiences }: ServiceAccountTokens,
): readonly TokenAuthenticator[] {
  const { options, stores, nowMs } = settings;
  const anyAudience = (tokens: TokenAuthenticator | undefined): TokenAuthenticator | undefined =>
    tokens === undefined ? undefined : forAudiences(audiences, tokens);
  const systemSecrets = accountObjectsIn(stores).secret;
  return present([
    anyAudience(adminTokenAuthenticator(settings.adminToken)),
    anyAudience(files.use('token-auth-file', (file) => tokenFileAuthenticator(readText(file)))),
    authenticator,
    options.bool('enable-bootstrap-token-auth')
      ? anyAudience(bootstrapTokenAuthenticator((name) => systemSecrets('kube-system', name), nowMs))
      : undefined,
    anyAudience(buildOidc(settings, files)),
    buildTokenWebhook(settings, files, audiences),
  ]);
}

function requestHeader(settings: AuthenticationSettings, files: OptionFiles): RequestAuthenticator | undefined {
  const { options } = settings;
  return files.use('requestheader-client-ca-file', (file) =>
    requestHeaderAuthenticator({
      usernameHeaders: options.list('requestheader-username-headers'),
      groupHeaders: options.list('requestheader-group-headers'),
      extraPrefixes: options.list('requestheader-extra-headers-prefix'),
      allowedNames: options.list('requestheader-allowed-names'),
      verify: verifier(file, settings),
    }),
  );
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
