import type { Clock } from '../../apimachinery/clock.ts';

/**
 * Wait after a first failure, and the longest one, milliseconds; each up to twice that by chance, so that clients of a
 * restarted server do not come all at once.
 */
const INITIAL_MS = 800;
const MAX_MS = 30_000;

/**
 * How long to wait after each of a row of failures. An attempt that lasts before it fails, such as a watch on a server
 * that is stopped, shortens the next wait by as long: while servers restart one after another, views stay close to the
 * present.
 */
export class Backoff {
  private readonly clock: Clock;
  private readonly random: () => number;
  private nextMs = INITIAL_MS;
  /** When the present attempt began. */
  private startedMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.clock = clock;
    this.random = random;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const now = this.clock.steadyMs();
    const lastedMs = Math.max(0, now - this.startedMs);
    const delay = Math.max(INITIAL_MS, this.nextMs - lastedMs);
    this.nextMs = Math.min(MAX_MS, delay * 2);
    const waitMs = delay * (1 + this.random());
    this.startedMs = now + waitMs;
    return waitMs;
  }
}
