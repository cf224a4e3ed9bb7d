import { steadyMs } from '../../apimachinery/steady-clock.ts';
import { readClusterConfig } from '../../client/cluster-config.ts';
import { webhookRetry } from '../../webhooks/retry-settings.ts';
import { WebhookClient } from '../../webhooks/webhook-client.ts';
import type { AuthenticationSettings, OptionFiles } from '../authentication-settings.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { cachedTokens } from '../token-cache/token-cache.ts';
import { tokenWebhookAuthenticator } from './authenticator.ts';

/** Bound of one call, milliseconds. */
const TIMEOUT_MS = 30_000;
const RETRY_INITIAL_MS = 500;

/** The configured service, with a cache before it; undefined for none. `audiences`: those of this server. */
export function buildTokenWebhook(
  { options, observer }: AuthenticationSettings,
  files: OptionFiles,
  audiences: readonly string[],
): TokenAuthenticator | undefined {
  return files.use('authentication-token-webhook-config-file', (file) => {
    const client = new WebhookClient({
      config: readClusterConfig(file),
      certificates: observer.webhookCertificates,
      timeoutMs: TIMEOUT_MS,
      retry: { ...webhookRetry, initialMs: RETRY_INITIAL_MS },
    });
    const version = options.string('authentication-token-webhook-version') === 'v1' ? 'v1' : 'v1beta1';
    const ttlMs = options.durationMs('authentication-token-webhook-cache-ttl');
    return cachedTokens(tokenWebhookAuthenticator({ client, version, audiences }), {
      knownMs: ttlMs,
      unknownMs: ttlMs,
      nowMs: steadyMs,
      observer: observer.tokenCache,
    });
  });
}
