import { onAbort } from './on-abort.ts';
import { steadyMs } from './steady-clock.ts';
import { TIMER_MS_MAX } from './values/duration.ts';

/** The timers of programs that wait, instead of the process's own, so that a test controls time. */
export interface Clock {
  /** Milliseconds of a monotonic clock: for measuring durations. */
  steadyMs(): number;
  /** Milliseconds since 1970, as the host has it: for times in objects. */
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
      forget?.();
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    const forget = signal === undefined ? undefined : onAbort(signal, end);
  });
}
