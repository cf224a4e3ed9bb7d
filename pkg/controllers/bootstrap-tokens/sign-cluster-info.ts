import { createHmac } from 'node:crypto';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ConfigMap, Secret } from '../../generated/types/core-v1.ts';
import { expiresInMs, tokenData } from './token-secret.ts';

const CONTENT = 'kubeconfig';
const SIGNATURE = 'jws-kubeconfig-';
const SECRET_NAME = /^bootstrap-token-([a-z0-9]{6})$/;

/** The config map with the signatures of these tokens and no others; undefined where it has them. */
export function signClusterInfo(info: ConfigMap, tokens: readonly Secret[], nowMs: number): ConfigMap | undefined {
  const content = getKey<string>(info.data, CONTENT);
  if (content === undefined) return undefined;
  const kept = Object.entries(info.data ?? {}).filter(([key]) => !key.startsWith(SIGNATURE));
  const signatures = tokens.flatMap((secret) => {
    const token = signingToken(secret, nowMs);
    return token === undefined ? [] : [[`${SIGNATURE}${token.id}`, detachedSignature(content, token)] as const];
  });
  const data = Object.fromEntries([...kept, ...signatures]);
  return deepEqual(data, info.data) ? undefined : { ...info, data };
}

interface Token {
  readonly id: string;
  readonly secret: string;
}

function signingToken(object: Secret, nowMs: number): Token | undefined {
  const [, id] = SECRET_NAME.exec(object.metadata.name!) ?? [];
  const secret = tokenData(object, 'token-secret');
  if (id === undefined || tokenData(object, 'token-id') !== id || secret === '') return undefined;
  if (object.metadata.deletionTimestamp !== undefined || expiresInMs(object, nowMs) === 0) return undefined;
  return tokenData(object, 'usage-bootstrap-signing') === 'true' ? { id, secret } : undefined;
}

/** A JSON Web Signature without the content, which who checks it has besides (RFC 7515, appendix F). */
function detachedSignature(content: string, { id, secret }: Token): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const payload = Buffer.from(content).toString('base64url');
  return `${header}..${createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')}`;
}
