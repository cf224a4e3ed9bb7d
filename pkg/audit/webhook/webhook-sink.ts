import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { retryDelayMs, type RetrySettings } from '../../webhooks/retry-settings.ts';
import type { WebhookClient } from '../../webhooks/webhook-client.ts';
import type { WebhookError } from '../../webhooks/webhook-error.ts';
import type { AuditSink } from '../audit-backend.ts';

/** When the server stops: the remaining attempts for a batch, and the pause between two, milliseconds. */
const LAST_ATTEMPTS = 5;
const LAST_PAUSE_MS = 100;

export interface WebhookSinkSettings {
  readonly client: Pick<WebhookClient, 'post' | 'close'>;
  /** Every failure is retried: a service that refuses events now may take them in a minute. */
  readonly retry: RetrySettings;
}

/** Sends event lists to a service. */
export class WebhookSink implements AuditSink {
  private readonly settings: WebhookSinkSettings;
  private readonly hurried = new AbortController();

  constructor(settings: WebhookSinkSettings) {
    this.settings = settings;
  }

  async write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const { client, retry } = this.settings;
    // Where answers wait for their events, each call listens to it.
    setMaxListeners(0, signal);
    let hurriedAttempts = 0;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      if (this.hurried.signal.aborted) hurriedAttempts++;
      const isLast = attempt >= retry.attempts || hurriedAttempts >= LAST_ATTEMPTS;
      try {
        await client.post(bytes, { signal });
        return;
      } catch (error) {
        if (isLast || signal.aborted) throw error;
        const delayMs = retryDelayMs(retry, attempt, (error as WebhookError).retryAfterMs);
        if (hurriedAttempts > 0) await sleep(Math.min(delayMs, LAST_PAUSE_MS));
        else await this.pause(delayMs);
      }
    }
  }

  hurry(): void {
    this.hurried.abort();
  }

  async close(): Promise<void> {
    this.settings.client.close();
  }

  /** Ends early when there is no time left for pauses. */
  private pause(ms: number): Promise<unknown> {
    // The only rejection is the abort.
    return sleep(ms, undefined, { signal: this.hurried.signal }).catch(() => undefined);
  }
}
