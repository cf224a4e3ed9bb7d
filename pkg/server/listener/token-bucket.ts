/** So much may be taken at once, and so much comes back each second. */
export interface BucketSize {
  readonly burst: number;
  readonly perSecond: number;
}

/** A store of tokens that fills with time. What is taken beyond it is owed. */
export class TokenBucket {
  private readonly size: BucketSize;
  private readonly nowMs: () => number;
  private left: number;
  private filledMs: number;

  constructor(size: BucketSize, nowMs: () => number) {
    this.size = size;
    this.nowMs = nowMs;
    this.left = size.burst;
    this.filledMs = nowMs();
  }

  /** Takes tokens; milliseconds until what is owed afterwards has come back, 0 where nothing is. */
  take(count: number): number {
    const now = this.nowMs();
    this.left = Math.min(this.size.burst, this.left + ((now - this.filledMs) / 1000) * this.size.perSecond);
    this.filledMs = now;
    this.left -= count;
    return this.left >= 0 ? 0 : (-this.left / this.size.perSecond) * 1000;
  }
}
