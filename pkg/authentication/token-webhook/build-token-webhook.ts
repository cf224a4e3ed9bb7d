import { steadyMs } from '../../apimachinery/steady-clock.ts';
import { webhookRetry } from '../../webhooks/retry-settings.ts';
import { WebhookClient } from '../../webhooks/webhook-client.ts';
import type { TokenWebhookConfig } from '../authentication-config.ts';
import type { AuthenticationObserver } from '../authentication-observer.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { cachedTokens } from '../token-cache/token-cache.ts';
import { tokenWebhookAuthenticator } from './authenticator.ts';

/** Bound of one call, milliseconds. */
const TIMEOUT_MS = 30_000;
const RETRY_INITIAL_MS = 500;

/** A service that knows tokens, with a cache before it. `audiences`: those of this server. */
export function buildTokenWebhook(
  { service, version, ttlMs }: TokenWebhookConfig,
  audiences: readonly string[],
  observer: AuthenticationObserver,
): TokenAuthenticator {
  const client = new WebhookClient({
    config: service,
    certificates: observer.webhookCertificates,
    timeoutMs: TIMEOUT_MS,
    retry: { ...webhookRetry, initialMs: RETRY_INITIAL_MS },
  });
  return cachedTokens(tokenWebhookAuthenticator({ client, version, audiences }), {
    knownMs: ttlMs,
    unknownMs: ttlMs,
    nowMs: steadyMs,
    observer: observer.tokenCache,
  });
}
