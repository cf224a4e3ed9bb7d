import { getKey } from '../../apimachinery/json/own-keys.ts';
import { InvalidCredentials } from '../authenticator.ts';
import type { Claims } from './json-web-token.ts';

/** Tolerated difference between the clocks of issuers and this one, seconds. */
export const CLOCK_SKEW_SECONDS = 60;

/** A claim that is a text; undefined where it is absent or something else. */
export function textClaim(claims: Claims, name: string): string | undefined {
  const value = getKey(claims, name);
  return typeof value === 'string' ? value : undefined;
}

/**
 * A claim that is one text or a list of them (`aud`, groups); undefined where it is of another type, empty where it is
 * absent.
 */
export function textsClaim(claims: Claims, name: string): readonly string[] | undefined {
  const value = getKey(claims, name) ?? [];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : undefined;
}

/**
 * Checks `exp`, which must be there and may be `graceSeconds` ago, and `nbf` and `iat`, which need not. Throws
 * `InvalidCredentials`.
 */
export function checkTimes(claims: Claims, nowMs: number, graceSeconds = CLOCK_SKEW_SECONDS): void {
  const now = nowMs / 1000;
  const expiry = seconds(claims, 'exp');
  if (expiry === undefined) throw new InvalidCredentials('the token has no expiry');
  if (now - graceSeconds >= expiry) throw new InvalidCredentials('the token has expired');
  if (now + CLOCK_SKEW_SECONDS < (seconds(claims, 'nbf') ?? 0))
    throw new InvalidCredentials('the token is not valid yet');
  if (now + CLOCK_SKEW_SECONDS < (seconds(claims, 'iat') ?? 0))
    throw new InvalidCredentials('the token was issued in the future');
}

/** Seconds since 1970; undefined where the claim is absent. Throws `InvalidCredentials` for anything but a number. */
function seconds(claims: Claims, name: string): number | undefined {
  const value = getKey(claims, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new InvalidCredentials(`the claim ${name} is no time`);
}
