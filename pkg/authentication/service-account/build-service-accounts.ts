import { optionProblem, OptionsError } from '../../options/options-error.ts';
import type { ServiceAccountConfig } from '../authentication-config.ts';
import type { AuthenticationSettings } from '../authentication-settings.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { readText } from '../option-files.ts';
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

/** Throws `OptionsError` where the file of the server's own key holds none. */
export function buildServiceAccounts(settings: AuthenticationSettings): ServiceAccountTokens {
  const { nowMs, observer, address } = settings;
  const config = settings.config.serviceAccounts;
  const { issuers, audiences, lookup, validSecondsMax, extendsExpiry, keysUri } = config;
  const labels = new LegacyTokenLabels({ stores: settings.stores, nowMs, onError: settings.onError });
  const { signing, keys } = keysOf(config, settings.servingKey);
  const [issuer] = issuers;
  return {
    audiences,
    authenticator: serviceAccountAuthenticator({
      keys,
      issuers,
      audiences,
      lookup,
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
        : tokenIssuer({ issuer, key: signing, defaultAudiences: audiences, validSecondsMax, extendsExpiry }),
    openIdDocument: issuer === undefined ? undefined : openIdDocuments({ issuer, keys, address, keysUri }),
  };
}

interface ServiceAccountKeys {
  /** Absent where this server issues no tokens. */
  readonly signing: SigningKey | undefined;
  /** Those that options name, and that which signs; the secure port's where there are none. */
  readonly keys: readonly VerificationKey[];
}

function keysOf(config: ServiceAccountConfig, servingKey: string): ServiceAccountKeys {
  const own = config.ownKeyFile === undefined ? undefined : ownKey(config.ownKeyFile);
  const given = own ?? config.signingKey;
  const signing = config.issuesTokens ? given : undefined;
  const named = own === undefined ? config.verificationKeys : [own];
  const keys = [...(signing === undefined ? [] : [signing]), ...(named ?? [])];
  if (keys.length > 0 || named !== undefined) return { signing, keys: uniqueKeys(keys) };
  try {
    return { signing, keys: readVerificationKeys(servingKey) };
  } catch {
    // A key of another type serves HTTPS as well, and signs no tokens.
    return { signing, keys: [] };
  }
}

function ownKey(file: string): SigningKey {
  try {
    return readSigningKey(readText(file));
  } catch (error) {
    throw new OptionsError([optionProblem('service-account-signing-key-file', file, (error as Error).message)]);
  }
}
