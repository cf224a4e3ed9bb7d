import { steadyMs } from '../../../apimachinery/steady-clock.ts';

/** How long an answer counts, milliseconds: health requests need no authentication and are not limited. */
const WELL_MS = 20_000;
const FAILED_MS = 3_000;

/** A check whose result is cached for a while, and that never runs twice at once. */
export function rememberedCheck(check: () => Promise<void>, nowMs: () => number = steadyMs): () => Promise<void> {
  let latest: Promise<void> | undefined;
  let untilMs = 0;
  return () => {
    if (latest !== undefined && nowMs() < untilMs) return latest;
    untilMs = Number.POSITIVE_INFINITY;
    const running = check();
    running.then(
      () => (untilMs = nowMs() + WELL_MS),
      () => (untilMs = nowMs() + FAILED_MS),
    );
    latest = running;
    return running;
  };
}
