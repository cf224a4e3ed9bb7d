/** Delays of one order of magnitude. */
export interface DelayBucket {
  /** Milliseconds up to which a delay counts here; those of the last bucket have no bound. */
  readonly upToMs: number;
  readonly count: number;
  /** All of them together. */
  readonly totalMs: number;
}

const INTERVAL_MS = 10;
const bounds: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, Infinity];

/**
 * Counts by how much turns of the event loop were late, by a timer that should fire every ten milliseconds. Node's own
 * histogram of the same thing tells percentiles, of which neither counts nor sums can be had.
 */
export class EventLoopDelays {
  private readonly counts = bounds.map(() => 0);
  private readonly totals = bounds.map(() => 0);
  private readonly nowMs: () => number;
  private timer: NodeJS.Timeout | undefined;
  private firedMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  start(): void {
    this.firedMs = this.nowMs();
    this.timer = setInterval(() => this.fired(), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Those that have counted anything, shortest delays first. */
  buckets(): DelayBucket[] {
    return bounds
      .map((upToMs, i) => ({ upToMs, count: this.counts[i]!, totalMs: this.totals[i]! }))
      .filter(({ count }) => count > 0);
  }

  private fired(): void {
    const now = this.nowMs();
    const lateMs = Math.max(0, now - this.firedMs - INTERVAL_MS);
    this.firedMs = now;
    const i = bounds.findIndex((bound) => lateMs <= bound);
    this.counts[i]! += 1;
    this.totals[i]! += lateMs;
  }
}
