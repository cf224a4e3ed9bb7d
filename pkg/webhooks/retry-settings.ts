/** Pauses between attempts: `initialMs`, then each `factor` times the one before, and up to `jitter` of it on top. */
export interface RetrySettings {
  /** All attempts, the first one included. */
  readonly attempts: number;
  readonly initialMs: number;
  readonly factor: number;
  /** Share of the pause, 0 to 1, that is added at random, so that many clients don't come back at once. */
  readonly jitter: number;
  readonly random?: () => number;
}

/** As API servers of release 1.25 call their token, authorization, image policy and audit webhooks. */
export const webhookRetry: Omit<RetrySettings, 'initialMs'> = { attempts: 5, factor: 1.5, jitter: 0.2 };

/** No pause is longer, whatever a service requests. */
const DELAY_MAX_MS = 30_000;

/** The pause after the attempt of that number, counted from 1. */
export function retryDelayMs(
  { initialMs, factor, jitter, random = Math.random }: RetrySettings,
  attempt: number,
  askedMs = 0,
): number {
  const base = initialMs * factor ** (attempt - 1);
  return Math.min(DELAY_MAX_MS, Math.max(askedMs, base * (1 + jitter * random())));
}
