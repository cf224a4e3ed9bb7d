import { getKey } from '../../apimachinery/json/own-keys.ts';
import { parseTime, TimeError } from '../../apimachinery/values/time.ts';
import type { Secret } from '../../generated/types/core-v1.ts';

/** Tokens with which new nodes join are in secrets of this namespace and type. */
export const TOKEN_NAMESPACE = 'kube-system';
export const TOKEN_SELECTION = {
  namespace: TOKEN_NAMESPACE,
  fieldSelector: 'type=bootstrap.kubernetes.io/token',
} as const;

/** The text of one entry; empty where there is none. */
export function tokenData(secret: Secret, key: string): string {
  return Buffer.from(getKey<string | null>(secret.data, key) ?? '', 'base64').toString('utf8');
}

/** Milliseconds until the token expires, none where it has; undefined: it never does. */
export function expiresInMs(secret: Secret, nowMs: number): number | undefined {
  const expiration = tokenData(secret, 'expiration');
  if (expiration === '') return undefined;
  try {
    return Math.max(0, parseTime(expiration).seconds * 1000 - nowMs);
  } catch (error) {
    // A time that cannot be read counts as past: else a token with a mistake in it would last for ever.
    if (error instanceof TimeError) return 0;
    throw error;
  }
}
