/** A larger difference means that the system's clock was set, milliseconds. */
const DRIFT_MAX_MS = 20;

/** How often the system's clock is read, milliseconds. */
const LOOK_MS = 10;

/**
 * Times of the epoch in milliseconds with fractions, for readings of the monotonic clock. Follows the system's clock
 * when that is set.
 */
export class WallClock {
  private offsetMs = Date.now() - performance.now();
  private lookAtMs = 0;

  /** The time at which `performance.now()` gave `monotonicMs`. */
  at(monotonicMs: number): number {
    return this.offsetMs + monotonicMs;
  }

  now(): number {
    const monotonicMs = performance.now();
    if (monotonicMs >= this.lookAtMs) this.look(monotonicMs);
    return this.offsetMs + monotonicMs;
  }

  private look(monotonicMs: number): void {
    this.lookAtMs = monotonicMs + LOOK_MS;
    const now = Date.now();
    if (Math.abs(this.offsetMs + monotonicMs - now) > DRIFT_MAX_MS) this.offsetMs = now - monotonicMs;
  }
}
