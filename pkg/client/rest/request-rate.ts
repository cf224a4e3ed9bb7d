import { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';
import { steadyMs } from '../../apimachinery/steady-clock.ts';

/** Waits; rejects with the signal's reason when that is aborted. */
export type Pause = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** Lets requests go at a rate, in the order in which they came. */
export class RequestRate {
  private readonly bucket: TokenBucket;
  private readonly pause: Pause;

  constructor(qps: number, burst: number, pause: Pause, nowMs: () => number = steadyMs) {
    this.bucket = new TokenBucket({ perSecond: qps, burst }, nowMs);
    this.pause = pause;
  }

  async wait(signal: AbortSignal): Promise<void> {
    const delayMs = this.bucket.spend(1);
    if (delayMs > 0) await this.pause(delayMs, signal);
  }
}
