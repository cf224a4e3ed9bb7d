/** Bounds how often something happens: on average `perSecond` times, and up to `burst` times at once after a rest. */
export class TokenBucket {
  private readonly perSecond: number;
  private readonly burst: number;
  private readonly nowMs: () => number;
  private tokens: number;
  private filledMs: number;

  constructor(perSecond: number, burst: number, nowMs: () => number) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.nowMs = nowMs;
    this.tokens = burst;
    this.filledMs = nowMs();
  }

  /** Takes a token; gives 0, or the milliseconds until there is one. */
  take(): number {
    const now = this.nowMs();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.filledMs) / 1000) * this.perSecond);
    this.filledMs = now;
    if (this.tokens < 1) return Math.max(1, Math.ceil(((1 - this.tokens) / this.perSecond) * 1000));
    this.tokens--;
    return 0;
  }
}
