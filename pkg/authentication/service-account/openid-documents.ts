import { signingAlgorithmOf } from '../jwt/signature-algorithms.ts';
import type { VerificationKey } from './verification-keys.ts';

export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const OPENID_KEYS_PATH = '/openid/v1/jwks';

/** How long clients may keep the documents. */
const MAX_AGE_SECONDS = 3600;

/**
 * A document by which other services verify tokens of this cluster's service accounts (OpenID Connect Discovery 1.0,
 * RFC 7517).
 */
export interface OpenIdDocument {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: string;
}

export interface OpenIdSettings {
  readonly issuer: string;
  readonly keys: readonly VerificationKey[];
  /** Where others reach this server, read when a document is asked for. */
  readonly address: { readonly hostPort: string };
  /** The published place of the keys; empty: at this server. */
  readonly keysUri: string;
}

/**
 * Answers for the two paths, with a slash at their end or without; undefined where the issuer is no URL at which such
 * documents can be.
 */
export function openIdDocuments({
  issuer,
  keys,
  address,
  keysUri,
}: OpenIdSettings): ((path: string) => OpenIdDocument | undefined) | undefined {
  if (!isDiscoverable(issuer)) return undefined;
  const cacheControl = `public, max-age=${MAX_AGE_SECONDS}`;
  const algorithms = [...new Set(keys.map(({ key }) => signingAlgorithmOf(key)!))].sort();
  const keySet = JSON.stringify({ keys: keys.map(publicKeyDocument) });
  return (path) => {
    switch (path.replace(/\/$/, '')) {
      case OPENID_CONFIGURATION_PATH:
        return {
          contentType: 'application/json',
          cacheControl,
          body: JSON.stringify({
            issuer,
            jwks_uri: keysUri || `https://${address.hostPort}${OPENID_KEYS_PATH}`,
            response_types_supported: ['id_token'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: algorithms,
          }),
        };
      case OPENID_KEYS_PATH:
        return { contentType: 'application/jwk-set+json', cacheControl, body: keySet };
      default:
        return undefined;
    }
  };
}

function isDiscoverable(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, search, hash } = new URL(issuer);
  return protocol === 'https:' && search === '' && hash === '';
}

function publicKeyDocument({ id, key }: VerificationKey): Record<string, unknown> {
  const { kty, n, e, crv, x, y } = key.export({ format: 'jwk' });
  const parts = kty === 'RSA' ? { n, e } : { crv, x, y };
  return { use: 'sig', kty, kid: id, alg: signingAlgorithmOf(key), ...parts };
}
