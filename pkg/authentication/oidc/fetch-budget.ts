/** Calls at once, and the time in which one more may be made. */
const BURST = 5;
const REFILL_MS = 10_000;

/** How often an issuer is asked: some times at once, so that new keys are found when they are used, then now and then. */
export class FetchBudget {
  private readonly nowMs: () => number;
  private left = BURST;
  private filledMs: number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    this.filledMs = nowMs();
  }

  /** Whether one more call may be made now; counts it. */
  take(): boolean {
    const refills = Math.floor((this.nowMs() - this.filledMs) / REFILL_MS);
    this.left = Math.min(BURST, this.left + refills);
    this.filledMs += refills * REFILL_MS;
    if (this.left === 0) return false;
    this.left--;
    return true;
  }
}
