import { timingSafeEqual } from 'node:crypto';
import { getKey } from '../../apimachinery/own-keys.ts';
import type { Secret } from '../../generated/types/core-v1.ts';
import { InvalidCredentials, type Authenticated } from '../authenticator.ts';
import { textClaim } from '../jwt/claims.ts';
import type { Claims } from '../jwt/json-web-token.ts';
import { serviceAccountUser, serviceAccountUsername } from './account-name.ts';
import { checkLives, type AccountObjects } from './account-objects.ts';

/** Tokens that stand in secrets of type `kubernetes.io/service-account-token`: without audience and expiry, good as long as their secret. */

export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

const claimNames = {
  namespace: 'kubernetes.io/serviceaccount/namespace',
  secret: 'kubernetes.io/serviceaccount/secret.name',
  account: 'kubernetes.io/serviceaccount/service-account.name',
  uid: 'kubernetes.io/serviceaccount/service-account.uid',
};

export interface LegacyTokenContent {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  /** Of the account. */
  readonly uid: string;
}

export function legacyTokenClaims({ namespace, secret, account, uid }: LegacyTokenContent): Claims {
  return {
    iss: LEGACY_ISSUER,
    [claimNames.namespace]: namespace,
    [claimNames.secret]: secret,
    [claimNames.account]: account,
    [claimNames.uid]: uid,
    sub: serviceAccountUsername({ namespace, name: account }),
  };
}

/** Whether the claims are those of such a token; requested tokens may name the same issuer. */
export function isLegacyToken(claims: Claims): boolean {
  return textClaim(claims, 'iss') === LEGACY_ISSUER && Object.hasOwn(claims, claimNames.account);
}

/**
 * The account whose token it is. The claims' signature and issuer are verified. `objects` is undefined where accounts and secrets are not to
 * be looked up. Throws `InvalidCredentials`.
 */
export async function authenticateLegacyToken(token: string, claims: Claims, objects: AccountObjects | undefined, nowMs: number): Promise<Authenticated> {
  const content = contentOf(claims);
  const { namespace, secret, account, uid } = content;
  if (textClaim(claims, 'sub') !== serviceAccountUsername({ namespace, name: account })) throw new InvalidCredentials('the token\'s subject is not its account');
  if (objects !== undefined) {
    checkSecret(await objects.secret(namespace, secret), token);
    checkLives('service account', await objects.serviceAccount(namespace, account), uid, nowMs, 0);
  }
  const user = serviceAccountUser({ namespace, name: account, uid });
  return { user, annotations: { 'authentication.k8s.io/legacy-token': user.name } };
}

function contentOf(claims: Claims): LegacyTokenContent {
  const read = (name: string): string => {
    const value = textClaim(claims, name) ?? '';
    if (value === '') throw new InvalidCredentials(`the claim ${name} is missing`);
    return value;
  };
  return { namespace: read(claimNames.namespace), secret: read(claimNames.secret), account: read(claimNames.account), uid: read(claimNames.uid) };
}

function checkSecret(secret: Secret | undefined, token: string): void {
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) throw new InvalidCredentials('the token\'s secret is gone');
  const kept = Buffer.from(String(getKey(secret.data, 'token') ?? ''), 'base64');
  const given = Buffer.from(token);
  if (kept.length !== given.length || !timingSafeEqual(kept, given)) throw new InvalidCredentials('the token is not the one in its secret');
}
