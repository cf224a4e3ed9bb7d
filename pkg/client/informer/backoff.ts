import type { Clock } from '../../apimachinery/clock.ts';

/**
 * Wait after a first failure, and the longest one, milliseconds; each up to twice that by chance, so that clients of a
 * restarted server do not come all at once.
 */
const INITIAL_MS = 800;
const MAX_MS = 30_000;
/** Without a failure for this long, the next one counts as a first. */
const RESET_MS = 120_000;

/** How long to wait after each of a row of failures. */
export class Backoff {
  private readonly clock: Clock;
  private readonly random: () => number;
  private nextMs = INITIAL_MS;
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.clock = clock;
    this.random = random;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const now = this.clock.steadyMs();
    if (now - this.lastMs > RESET_MS) this.nextMs = INITIAL_MS;
    this.lastMs = now;
    const delay = this.nextMs;
    this.nextMs = Math.min(MAX_MS, delay * 2);
    return delay * (1 + this.random());
  }
}
