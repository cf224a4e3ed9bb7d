import { readClusterConfig, type ClusterConfig } from '../client/cluster-config.ts';
import { FeatureGates } from '../options/feature-gates.ts';
import type { OptionValues } from '../options/option.ts';
import { OptionsError } from '../options/options-error.ts';
import { readAuthorities } from './client-certificate/authorities.ts';
import { readCredentials, type CredentialsRecord } from './credentials-file.ts';
import type { OidcSettings } from './oidc/authenticator.ts';
import { OptionFiles, readText } from './option-files.ts';
import {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  type VerificationKey,
} from './service-account/verification-keys.ts';

/** What options say of who sends requests, with what is in the files that they name. */
export interface AuthenticationConfig {
  /** `--anonymous-auth`. */
  readonly anonymous: boolean;
  /** `--enable-bootstrap-token-auth`. */
  readonly bootstrapTokens: boolean;
  /** Of `--basic-auth-file`. */
  readonly passwords: readonly CredentialsRecord[] | undefined;
  /** Of `--token-auth-file`. */
  readonly tokens: readonly CredentialsRecord[] | undefined;
  /** `--client-ca-file`: followed while the server runs. */
  readonly clientAuthorityFile: string | undefined;
  readonly requestHeader: RequestHeaderConfig | undefined;
  readonly serviceAccounts: ServiceAccountConfig;
  readonly oidc: Omit<OidcSettings, 'nowMs'> | undefined;
  readonly tokenWebhook: TokenWebhookConfig | undefined;
}

/** Proxies that say who sends requests. */
export interface RequestHeaderConfig {
  /** Authorities of the proxies' certificates: followed while the server runs. */
  readonly authorityFile: string;
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

/** Tokens of service accounts. */
export interface ServiceAccountConfig {
  /** The first one issues. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** A file with the only key, which the start makes where it is not there yet; undefined where keys are given. */
  readonly ownKeyFile: string | undefined;
  readonly signingKey: SigningKey | undefined;
  /** Undefined where no option names any: the secure port's key verifies. */
  readonly verificationKeys: readonly VerificationKey[] | undefined;
  /** Feature gate TokenRequest. */
  readonly issuesTokens: boolean;
  /** `--service-account-lookup`. */
  readonly lookup: boolean;
  readonly validSecondsMax: number;
  readonly extendsExpiry: boolean;
  /** `--service-account-jwks-uri`. */
  readonly keysUri: string;
}

export interface TokenWebhookConfig {
  readonly service: ClusterConfig;
  readonly version: 'v1' | 'v1beta1';
  readonly ttlMs: number;
}

/**
 * `ownKeyFile`: see `ServiceAccountConfig`; `ownClientAuthority`: a file that the start makes. Throws `OptionsError`
 * with all that is wrong with the files.
 */
export function readAuthenticationConfig(
  options: OptionValues,
  ownKeyFile?: string,
  ownClientAuthority?: string,
): AuthenticationConfig {
  const files = new OptionFiles(options);
  const authorityFile = (option: string): string | undefined =>
    files.use(option, (file) => {
      readAuthorities(readText(file));
      return file;
    });
  const serviceAccounts = serviceAccountConfig(options, files, ownKeyFile);
  const tokens = files.use('token-auth-file', (file) => readCredentials(readText(file)));
  const oidc = oidcConfig(options, files);
  const tokenWebhook = tokenWebhookConfig(options, files);
  const proxyAuthorities = authorityFile('requestheader-client-ca-file');
  const passwords = files.use('basic-auth-file', (file) => readCredentials(readText(file)));
  const clientAuthorityFile = ownClientAuthority ?? authorityFile('client-ca-file');
  if (files.problems.length > 0) throw new OptionsError(files.problems);
  return {
    anonymous: options.bool('anonymous-auth'),
    bootstrapTokens: options.bool('enable-bootstrap-token-auth'),
    passwords,
    tokens,
    clientAuthorityFile,
    requestHeader: proxyAuthorities === undefined ? undefined : requestHeaderConfig(options, proxyAuthorities),
    serviceAccounts,
    oidc,
    tokenWebhook,
  };
}

function requestHeaderConfig(options: OptionValues, authorityFile: string): RequestHeaderConfig {
  return {
    authorityFile,
    usernameHeaders: options.list('requestheader-username-headers'),
    groupHeaders: options.list('requestheader-group-headers'),
    extraPrefixes: options.list('requestheader-extra-headers-prefix'),
    allowedNames: options.list('requestheader-allowed-names'),
  };
}

function serviceAccountConfig(
  options: OptionValues,
  files: OptionFiles,
  ownKeyFile: string | undefined,
): ServiceAccountConfig {
  const issuers = options.list('service-account-issuer');
  const audiences = options.list('service-account-api-audiences');
  const signingKey = files.use('service-account-signing-key-file', (file) => readSigningKey(readText(file)));
  const named = files.useEach('service-account-key-file', (file) => readVerificationKeys(readText(file)));
  return {
    issuers,
    audiences: audiences.length > 0 ? audiences : issuers,
    ownKeyFile,
    signingKey,
    verificationKeys: options.list('service-account-key-file').length === 0 ? undefined : named.flat(),
    issuesTokens: FeatureGates.of(options).enabled('TokenRequest'),
    lookup: options.bool('service-account-lookup'),
    validSecondsMax: Math.floor(options.durationMs('service-account-max-token-expiration') / 1000),
    extendsExpiry: options.bool('service-account-extend-token-expiration'),
    keysUri: options.string('service-account-jwks-uri'),
  };
}

function oidcConfig(options: OptionValues, files: OptionFiles): AuthenticationConfig['oidc'] {
  const ca = files.use('oidc-ca-file', readBundle);
  const issuer = options.string('oidc-issuer-url');
  if (issuer === '') return undefined;
  const algorithms = options.list('oidc-signing-algs');
  return {
    issuer,
    clientId: options.string('oidc-client-id'),
    ca,
    usernameClaim: options.string('oidc-username-claim'),
    usernamePrefix: options.string('oidc-username-prefix'),
    groupsClaim: options.string('oidc-groups-claim'),
    groupsPrefix: options.string('oidc-groups-prefix'),
    requiredClaims: options.pairs('oidc-required-claim'),
    signingAlgorithms: algorithms.length === 0 ? ['RS256'] : algorithms,
  };
}

/** PEM, once it is known that it can be read. */
function readBundle(file: string): string {
  const pem = readText(file);
  readAuthorities(pem);
  return pem;
}

function tokenWebhookConfig(options: OptionValues, files: OptionFiles): TokenWebhookConfig | undefined {
  return files.use('authentication-token-webhook-config-file', (file) => ({
    service: readClusterConfig(file),
    version: options.string('authentication-token-webhook-version') === 'v1' ? 'v1' : 'v1beta1',
    ttlMs: options.durationMs('authentication-token-webhook-cache-ttl'),
  }));
}
