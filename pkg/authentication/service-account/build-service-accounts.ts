import { FeatureGates } from '../../options/feature-gates.ts';
import { readText, type AuthenticationSettings, type OptionFiles } from '../authentication-settings.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { accountObjectsIn } from './account-objects.ts';
import { LegacyTokenLabels } from './legacy-token-labels.ts';
import { serviceAccountAuthenticator } from './authenticator.ts';
import { openIdDocuments, type OpenIdDocument } from './openid-documents.ts';
import { tokenIssuer, type TokenIssuer } from './token-issuer.ts';
import {
  readSigningKey,
  readVerificationKeys,
  uniqueKeys,
  type SigningKey,
  type VerificationKey,
} from './verification-keys.ts';

/** Everything that is built from the keys of service accounts. */
export interface ServiceAccountTokens {
  readonly authenticator: TokenAuthenticator;
  /** Undefined where this server issues no tokens. */
  readonly issuer: TokenIssuer | undefined;
  /** Of this server. */
  readonly audiences: readonly string[];
  /** Documents by which other services verify the tokens, by path; undefined where the issuer has none. */
  readonly openIdDocument: ((path: string) => OpenIdDocument | undefined) | undefined;
}

export function buildServiceAccounts(settings: AuthenticationSettings, files: OptionFiles): ServiceAccountTokens {
  const { options, nowMs, observer } = settings;
  const issuers = options.list('service-account-issuer');
  const given = options.list('service-account-api-audiences');
  const audiences = given.length > 0 ? given : issuers;
  const labels = new LegacyTokenLabels({ stores: settings.stores, nowMs, onError: settings.onError });
  const signing = signingKey(settings, files);
  const keys = verificationKeys(settings, files, signing);
  const [issuer] = issuers;
  return {
    audiences,
    authenticator: serviceAccountAuthenticator({
      keys,
      issuers,
      audiences,
      lookup: options.bool('service-account-lookup'),
      objects: accountObjectsIn(settings.stores),
      nowMs,
      onUse: (kind) => observer.serviceAccountTokenUsed(kind),
      onLegacyUse: ({ kind, secret }) => {
        observer.legacyTokenUsed(kind);
        labels.used(secret);
      },
    }),
    issuer:
      signing === undefined || issuer === undefined
        ? undefined
        : tokenIssuer({
            issuer,
            key: signing,
            defaultAudiences: audiences,
            validSecondsMax: Math.floor(options.durationMs('service-account-max-token-expiration') / 1000),
            extendsExpiry: options.bool('service-account-extend-token-expiration'),
          }),
    openIdDocument:
      issuer === undefined
        ? undefined
        : openIdDocuments({
            issuer,
            keys,
            address: settings.address,
            keysUri: options.string('service-account-jwks-uri'),
          }),
  };
}

function signingKey({ options }: AuthenticationSettings, files: OptionFiles): SigningKey | undefined {
  const key = files.use('service-account-signing-key-file', (file) => readSigningKey(readText(file)));
  return FeatureGates.of(options).enabled('TokenRequest') ? key : undefined;
}

/** The configured ones, and the signing key; the secure port's where there are none. */
function verificationKeys(
  { options, servingKey }: AuthenticationSettings,
  files: OptionFiles,
  signing: SigningKey | undefined,
): readonly VerificationKey[] {
  const named = files.useEach('service-account-key-file', (file) => readVerificationKeys(readText(file))).flat();
  const keys = signing === undefined ? named : [signing, ...named];
  if (keys.length > 0 || options.list('service-account-key-file').length > 0) return uniqueKeys(keys);
  try {
    return readVerificationKeys(servingKey);
  } catch {
    // A key of another type serves HTTPS as well, and signs no tokens.
    return [];
  }
}
