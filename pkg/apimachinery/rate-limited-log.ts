/** At most one line in this time, milliseconds. */
const PACE_MS = 10_000;

/**
 * Passes on a message at most every ten seconds, with the number of those that were not: what goes wrong once mostly
 * does again.
 */
export function rateLimitedLog(tell: (message: string) => void, nowMs: () => number): (message: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (message) => {
    const now = nowMs();
    if (now - lastMs < PACE_MS) {
      suppressed++;
      return;
    }
    tell(suppressed === 0 ? message : `${message} (and ${suppressed} messages like it before)`);
    lastMs = now;
    suppressed = 0;
  };
}
