import { hash } from 'node:crypto';
import { commonAudiences } from '../audiences.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';
import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import { textClaim, textsClaim } from '../jwt/claims.ts';
import { parseJsonWebToken, type Claims } from '../jwt/json-web-token.ts';
import type { AccountObjects } from './account-objects.ts';
import { authenticateBoundToken, warnsOfAge } from './bound-token.ts';
import { authenticateLegacyToken, isLegacyToken } from './legacy-token.ts';
import type { LegacyTokenUse } from './legacy-token-labels.ts';
import { isSignedByOneOf, type VerificationKey } from './verification-keys.ts';

export interface ServiceAccountSettings {
  readonly keys: readonly VerificationKey[];
  /** Issuers whose bound tokens are accepted; none: only tokens from secrets are. */
  readonly issuers: readonly string[];
  /** Audiences of this server: a bound token must be made for one of them, a token from a secret is valid for all. */
  readonly audiences: readonly string[];
  /** Tokens from secrets lose their validity with their secret and account; bound tokens always do. */
  readonly lookup: boolean;
  readonly objects: AccountObjects;
  readonly nowMs: () => number;
  /**
   * Called with each valid token. `stale`: one that its owner should have replaced; `valid`: one that will be stale
   * some day.
   */
  readonly onUse: (kind: 'legacy' | 'stale' | 'valid') => void;
  /** Called for each token from a secret that was looked up. */
  readonly onLegacyUse: (use: LegacyTokenUse) => void;
}

/** Tokens whose signature is known to be valid; verifying one costs a hundred times as much as finding it here. */
const VERIFIED_MAX = 4096;

/**
 * Tokens of service accounts: those in secrets, and those that were requested. Only the verification of signatures is
 * cached: times, accounts, secrets and pods are checked on each request, so that a token ends with the objects that it
 * depends on.
 */
export function serviceAccountAuthenticator(settings: ServiceAccountSettings): TokenAuthenticator {
  const { keys, issuers, lookup, objects, nowMs } = settings;
  const verified = new BoundedCache<Claims>(VERIFIED_MAX);
  return {
    name: 'ServiceAccount',
    async authenticateToken(token, audiences): Promise<Authenticated | undefined> {
      const digest = hash('sha256', token, 'base64');
      const claims = verified.get(digest) ?? verifiedClaims(token, keys, issuers);
      if (claims === undefined) return undefined;
      verified.set(digest, claims);
      const common = checkAudiences(claims, settings, audiences);
      const isLegacy = isLegacyToken(claims);
      const known = isLegacy
        ? await authenticateLegacyToken(token, claims, lookup ? objects : undefined, nowMs(), settings.onLegacyUse)
        : await authenticateBoundToken(claims, objects, nowMs());
      if (isLegacy) settings.onUse('legacy');
      else if (warnsOfAge(claims)) settings.onUse(known.annotations === undefined ? 'valid' : 'stale');
      return { ...known, audiences: common };
    },
  };
}

/**
 * The claims of a token of one of the issuers, or undefined for other texts. Throws `InvalidCredentials` where none of
 * the keys signed it.
 */
function verifiedClaims(
  token: string,
  keys: readonly VerificationKey[],
  issuers: readonly string[],
): Claims | undefined {
  const parsed = parseJsonWebToken(token);
  if (parsed === undefined) return undefined;
  if (!isLegacyToken(parsed.claims) && !issuers.includes(textClaim(parsed.claims, 'iss') ?? '')) return undefined;
  if (!isSignedByOneOf(parsed, keys)) throw new InvalidCredentials('no key for service accounts signed the token');
  return parsed.claims;
}

/** The requested audiences for which the token is valid. */
function checkAudiences(
  claims: Claims,
  { audiences: own }: ServiceAccountSettings,
  asked: readonly string[],
): readonly string[] {
  const named = textsClaim(claims, 'aud');
  if (named === undefined) throw new InvalidCredentials("the token's audiences are no texts");
  const common = commonAudiences(named.length === 0 ? own : named, asked.length === 0 ? own : asked);
  if (common.length === 0 && own.length > 0) throw new InvalidCredentials('the token is for other audiences');
  return common;
}
