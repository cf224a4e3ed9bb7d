import { steadyMs } from './steady-clock.ts';
import { TIMER_MS_MAX } from './values/duration.ts';

/** What programs that wait take instead of the process's own timers, so that a test decides how time passes. */
export interface Clock {
  /** Milliseconds of a clock that nobody sets: for measuring how long something lasts. */
  steadyMs(): number;
  /** Milliseconds since 1970, as the host has it: for what is written into objects. */
  wallMs(): number;
  /** Runs `callback` once, at or after `delayMs`; the returned function cancels that. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  steadyMs,
  wallMs: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
