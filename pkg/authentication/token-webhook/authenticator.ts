import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { isAnswerOfType } from '../../webhooks/is-answer-of-type.ts';
import type { WebhookClient } from '../../webhooks/webhook-client.ts';
import { commonAudiences } from '../audiences.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';

export interface TokenWebhookSettings {
  readonly client: Pick<WebhookClient, 'call' | 'name'>;
  /** Of the TokenReviews sent. */
  readonly version: 'v1' | 'v1beta1';
  /** Audiences of this server: those of a token for which the service names no audiences. */
  readonly audiences: readonly string[];
}

type Document = Readonly<Record<string, unknown>>;

/**
 * Authenticates a token by a TokenReview of a remote service. Throws `InvalidCredentials` when the service could not
 * check the token, `WebhookError` when there is no answer, an Error when the answer is invalid.
 */
export function tokenWebhookAuthenticator({
  client,
  version,
  audiences: own,
}: TokenWebhookSettings): TokenAuthenticator {
  const apiVersion = `authentication.k8s.io/${version}`;
  return {
    name: 'TokenWebhook',
    async authenticateToken(token, audiences): Promise<Authenticated | undefined> {
      const wanted = audiences.length === 0 ? own : audiences;
      const spec = { token, ...(wanted.length === 0 ? {} : { audiences: wanted }) };
      const answer = await client.call({ apiVersion, kind: 'TokenReview', metadata: {}, spec, status: { user: {} } });
      if (!isDocument(answer) || !isAnswerOfType(answer, apiVersion, 'TokenReview'))
        throw new Error(`${client.name}: the answer is no TokenReview of ${apiVersion}`);
      const status = getKey(answer, 'status');
      if (!isDocument(status)) return undefined;
      if (getKey(status, 'authenticated') !== true) {
        // The service's message may quote the token.
        if (isText(getKey(status, 'error'))) throw new InvalidCredentials(`${client.name} could not check the token`);
        return undefined;
      }
      const named = textsOf(getKey(status, 'audiences'));
      const common = commonAudiences(wanted, named.length === 0 ? own : named);
      if (wanted.length > 0 && common.length === 0) return undefined;
      const user = userOf(getKey(status, 'user'));
      if (user === undefined) throw new Error(`${client.name}: the answer names no user`);
      return { user, audiences: common };
    },
  };
}

function userOf(value: unknown): UserInfo | undefined {
  if (!isDocument(value)) return undefined;
  const name = getKey(value, 'username');
  const uid = getKey(value, 'uid');
  const extra = getKey(value, 'extra');
  if (!isText(name)) return undefined;
  return {
    name,
    groups: textsOf(getKey(value, 'groups')),
    ...(isText(uid) ? { uid } : {}),
    ...(isDocument(extra) ? { extra: extraOf(extra) } : {}),
  };
}

function extraOf(value: Document): Record<string, readonly string[]> {
  const extra: Record<string, readonly string[]> = {};
  for (const key of Object.keys(value)) setKey(extra, key, textsOf(value[key]));
  return extra;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function isDocument(value: unknown): value is Document {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
