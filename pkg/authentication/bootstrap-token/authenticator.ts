import { getKey } from '../../apimachinery/json/own-keys.ts';
import { parseTime, TimeError } from '../../apimachinery/values/time.ts';
import type { Secret } from '../../generated/types/core-v1.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';
import { equalInConstantTime } from '../constant-time.ts';

/** Reads a secret of the namespace `kube-system`; undefined where there is none of that name. */
export type SystemSecrets = (name: string) => Promise<Secret | undefined>;

const SECRET_TYPE = 'bootstrap.kubernetes.io/token';
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const DEFAULT_GROUP = 'system:bootstrappers';
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Tokens `id.secret` with which new nodes join; each is stored in a secret `bootstrap-token-<id>`. */
export function bootstrapTokenAuthenticator(secrets: SystemSecrets, nowMs: () => number): TokenAuthenticator {
  return {
    name: 'BootstrapToken',
    async authenticateToken(token): Promise<Authenticated | undefined> {
      const [, id, part] = TOKEN.exec(token) ?? [];
      if (id === undefined || part === undefined) return undefined;
      const secret = await secrets(`bootstrap-token-${id}`);
      if (secret === undefined) return undefined;
      const problem = problemOf(secret, id, part, nowMs());
      if (problem !== undefined) throw new InvalidCredentials(`the secret bootstrap-token-${id} ${problem}`);
      return { user: { name: `system:bootstrap:${id}`, groups: groupsOf(secret) } };
    },
  };
}

function problemOf(secret: Secret, id: string, part: string, nowMs: number): string | undefined {
  if (secret.metadata.deletionTimestamp !== undefined) return 'is being deleted';
  if (secret.type !== SECRET_TYPE) return `is not of type ${SECRET_TYPE}`;
  const kept = dataOf(secret, 'token-secret');
  if (kept === '' || !equalInConstantTime(kept, part)) return 'holds another token-secret';
  if (dataOf(secret, 'token-id') !== id) return 'holds another token-id';
  if (hasExpired(dataOf(secret, 'expiration'), nowMs)) return 'has expired';
  if (dataOf(secret, 'usage-bootstrap-authentication') !== 'true') return 'is not for authentication';
  return groupsOf(secret)
    .slice(1)
    .every((group) => EXTRA_GROUP.test(group))
    ? undefined
    : 'has an extra group that is none of system:bootstrappers:';
}

/** An invalid time counts as past. */
function hasExpired(expiration: string, nowMs: number): boolean {
  if (expiration === '') return false;
  try {
    return parseTime(expiration).seconds * 1000 <= nowMs;
  } catch (error) {
    if (error instanceof TimeError) return true;
    throw error;
  }
}

/** The default one first. */
function groupsOf(secret: Secret): readonly string[] {
  const named = dataOf(secret, 'auth-extra-groups');
  const extra = named === '' ? [] : named.split(',');
  return [DEFAULT_GROUP, ...[...new Set(extra)].sort()];
}

function dataOf(secret: Secret, key: string): string {
  return Buffer.from(String(getKey(secret.data, key) ?? ''), 'base64').toString('utf8');
}
