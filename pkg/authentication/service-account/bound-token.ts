import { isJsonObject } from '../../apimachinery/json/json-object.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { InvalidCredentials, type Authenticated } from '../authenticator.ts';
import { checkTimes, textClaim } from '../jwt/claims.ts';
import type { Claims } from '../jwt/json-web-token.ts';
import { serviceAccountUser, serviceAccountUsername, type ServiceAccountName } from './account-name.ts';
import { checkLives, type AccountObjects } from './account-objects.ts';

/** An object by name and identity. */
export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

/** The claims of a bound token: the account, and one pod, node or secret that must exist. */
export interface BoundTokenContent {
  /** Identifies this token. */
  readonly id: string;
  readonly namespace: string;
  readonly account: ObjectIdentity;
  readonly pod?: ObjectIdentity;
  readonly secret?: ObjectIdentity;
  /** With a pod: its node, for information only; without a uid where the node does not exist. */
  readonly node?: { readonly name: string; readonly uid?: string };
  readonly audiences: readonly string[];
  readonly validSeconds: number;
  /** Seconds after which the token should no longer be used, although it is still valid. */
  readonly warnAfterSeconds?: number;
}

const PRIVATE_CLAIMS = 'kubernetes.io';

/** The claims of a token that is issued at `nowMs`. */
export function boundTokenClaims(content: BoundTokenContent, issuer: string, nowMs: number): Claims {
  const now = Math.floor(nowMs / 1000);
  const { namespace, account, node, pod, secret, warnAfterSeconds } = content;
  return {
    aud: content.audiences,
    exp: now + content.validSeconds,
    iat: now,
    iss: issuer,
    jti: content.id,
    [PRIVATE_CLAIMS]: {
      namespace,
      ...(node === undefined
        ? {}
        : { node: { name: node.name, ...(node.uid === undefined ? {} : { uid: node.uid }) } }),
      ...(pod === undefined ? {} : { pod: { name: pod.name, uid: pod.uid } }),
      ...(secret === undefined ? {} : { secret: { name: secret.name, uid: secret.uid } }),
      serviceaccount: { name: account.name, uid: account.uid },
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: serviceAccountUsername({ namespace, name: account.name }),
  };
}

/**
 * The account whose token it is. The claims' signature, issuer and audience are verified. Throws `InvalidCredentials`.
 */
export async function authenticateBoundToken(
  claims: Claims,
  objects: AccountObjects,
  nowMs: number,
): Promise<Authenticated> {
  checkTimes(claims, nowMs);
  const details = getKey(claims, PRIVATE_CLAIMS);
  if (!isJsonObject(details)) throw new InvalidCredentials('the token does not name its account');
  const namespace = textClaim(details, 'namespace') ?? '';
  const account = identity(details, 'serviceaccount');
  if (namespace === '' || account === undefined) throw new InvalidCredentials('the token does not name its account');
  const name: ServiceAccountName = { namespace, name: account.name };
  if (textClaim(claims, 'sub') !== serviceAccountUsername(name))
    throw new InvalidCredentials("the token's subject is not its account");
  checkLives('service account', await objects.serviceAccount(namespace, account.name), account.uid, nowMs);
  const secret = identity(details, 'secret');
  if (secret !== undefined) checkLives('secret', await objects.secret(namespace, secret.name), secret.uid, nowMs);
  const pod = identity(details, 'pod');
  if (pod !== undefined) checkLives('pod', await objects.pod(namespace, pod.name), pod.uid, nowMs);
  const node = nodeOf(details);
  if (node !== undefined && pod === undefined) checkLives('node', await objects.node(node.name), node.uid ?? '', nowMs);
  const staleSeconds = staleness(details, nowMs) ?? 0;
  const id = textClaim(claims, 'jti') ?? '';
  const user = serviceAccountUser(
    { ...name, uid: account.uid },
    { pod, node, ...(id === '' ? {} : { credentialId: credentialIdOf(id) }) },
  );
  if (staleSeconds === 0) return { user };
  return {
    user,
    annotations: {
      'authentication.k8s.io/stale-token': `subject: ${user.name}, seconds after warning threshold: ${staleSeconds}`,
    },
  };
}

/** Whether the token says when it should be replaced. */
export function warnsOfAge(claims: Claims): boolean {
  const details = getKey(claims, PRIVATE_CLAIMS);
  return isJsonObject(details) && staleness(details, 0) !== undefined;
}

/** Seconds since the token should no longer be used, 0 before; undefined without such a claim. */
function staleness(details: Claims, nowMs: number): number | undefined {
  const warnAfter = getKey(details, 'warnafter');
  if (typeof warnAfter !== 'number' || warnAfter === 0) return undefined;
  return Math.max(0, Math.floor(nowMs / 1000 - warnAfter));
}

/** How a token with an id is named in its user's extra fields. */
export function credentialIdOf(id: string): string {
  return `JTI=${id}`;
}

function nodeOf(details: Claims): { readonly name: string; readonly uid?: string | undefined } | undefined {
  const node = getKey(details, 'node');
  if (!isJsonObject(node)) return undefined;
  const [name = '', uid = ''] = [textClaim(node, 'name'), textClaim(node, 'uid')];
  if (name === '') throw new InvalidCredentials("the token's node has no name");
  return { name, ...(uid === '' ? {} : { uid }) };
}

function identity(details: Claims, name: string): ObjectIdentity | undefined {
  const value = getKey(details, name);
  if (value === undefined || value === null) return undefined;
  const [found, uid] = isJsonObject(value) ? [textClaim(value, 'name'), textClaim(value, 'uid')] : [];
  if (found === undefined || found === '' || uid === undefined || uid === '')
    throw new InvalidCredentials(`the token's ${name} has no name or uid`);
  return { name: found, uid };
}
