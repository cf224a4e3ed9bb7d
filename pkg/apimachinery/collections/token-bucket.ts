/** Size of the burst after a pause, and number of tokens that come back each second. */
export interface BucketSize {
  readonly burst: number;
  readonly perSecond: number;
}

/** Bounds how often something happens, or how much of it: tokens that come back with time, up to a burst. */
export class TokenBucket {
  private readonly size: BucketSize;
  private readonly nowMs: () => number;
  private tokens: number;
  private filledMs: number;

  constructor(size: BucketSize, nowMs: () => number) {
    this.size = size;
    this.nowMs = nowMs;
    this.tokens = size.burst;
    this.filledMs = nowMs();
  }

  /** Takes a token if there is one: returns 0, or the milliseconds until there is one; then nothing is taken. */
  take(): number {
    this.fill();
    if (this.tokens < 1) return Math.max(1, Math.ceil(((1 - this.tokens) / this.size.perSecond) * 1000));
    this.tokens--;
    return 0;
  }

  /**
   * Takes tokens that are used already, more than there are if need be: returns the milliseconds until the debt is
   * gone, 0 if there is none.
   */
  spend(count: number): number {
    this.fill();
    this.tokens -= count;
    return this.tokens >= 0 ? 0 : (-this.tokens / this.size.perSecond) * 1000;
  }

  private fill(): void {
    const now = this.nowMs();
    this.tokens = Math.min(
      this.size.burst,
      this.tokens + (Math.max(0, now - this.filledMs) / 1000) * this.size.perSecond,
    );
    this.filledMs = now;
  }
}
