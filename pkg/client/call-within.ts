import type { Clock } from '../apimachinery/clock.ts';
import { onAbort } from '../apimachinery/on-abort.ts';

/**
 * Calls with a signal that aborts with the given one, or after `timeoutMs`. Rejects then, also where the call does
 * not heed its signal; what that brings later is ignored.
 */
export async function callWithin<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const forget = onAbort(signal, () => ended.abort(signal.reason));
  const cancelTimer = clock.after(timeoutMs, () => ended.abort(new Error(`no answer within ${timeoutMs / 1000} s`)));
  try {
    return await new Promise<T>((resolve, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason as Error), { once: true });
      call(ended.signal).then(resolve, reject);
    });
  } finally {
    cancelTimer();
    forget();
  }
}
