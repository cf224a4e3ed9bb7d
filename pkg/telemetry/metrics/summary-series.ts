import type { Labels, SummaryView } from './metric-family.ts';

/** As stock servers show them. */
const quantiles = [0.5, 0.9, 0.99] as const;
/** What quantiles look back on, in steps of a fifth: milliseconds. */
const AGE_MS = 5 * 60 * 60 * 1000;
const WINDOWS = 5;
const WINDOW_MS = AGE_MS / WINDOWS;
/** Values are told apart from 1 µs to 100 s, to within four percent. */
const FIRST = 1e-6;
const FACTOR = 1.04;
const BUCKETS = Math.ceil(Math.log(100 / FIRST) / Math.log(FACTOR));
const perLog = 1 / Math.log(FACTOR);

/** One summary with fixed labels, of seconds: quantiles of the last five hours; sum and count since the start. */
export class SummarySeries implements SummaryView {
  readonly labels: Labels;
  sum = 0;
  count = 0;
  private readonly now: () => number;
  private readonly windows = Array.from({ length: WINDOWS }, () => new Uint32Array(BUCKETS));
  /** Number of the window that counts now. */
  private current: number;

  constructor(labels: Labels, now: () => number = () => performance.now()) {
    this.labels = labels;
    this.now = now;
    this.current = Math.floor(now() / WINDOW_MS);
  }

  observe(value: number): void {
    this.forgetOld();
    const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.floor(Math.log(value / FIRST) * perLog)));
    this.windows[this.current % WINDOWS]![bucket]!++;
    this.sum += value;
    this.count++;
  }

  /** NaN where nothing was observed lately. */
  quantiles(): readonly (readonly [quantile: number, value: number])[] {
    this.forgetOld();
    const total = this.windows.reduce((sum, window) => sum + window.reduce((a, b) => a + b, 0), 0);
    return quantiles.map((quantile) => [quantile, this.valueAt(Math.ceil(quantile * total))]);
  }

  /** The middle of the bucket that the `rank`th value is in. */
  private valueAt(rank: number): number {
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS && rank > 0; bucket++) {
      for (const window of this.windows) seen += window[bucket]!;
      if (seen >= rank) return FIRST * FACTOR ** (bucket + 0.5);
    }
    return NaN;
  }

  private forgetOld(): void {
    const present = Math.floor(this.now() / WINDOW_MS);
    for (let window = Math.max(this.current + 1, present - WINDOWS + 1); window <= present; window++) this.windows[window % WINDOWS]!.fill(0);
    this.current = present;
  }
}
