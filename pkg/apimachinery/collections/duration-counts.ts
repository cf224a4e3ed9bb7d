/**
 * Durations counted by bounds: the data of a histogram, which is built when metrics are read. Counting allocates
 * nothing.
 */
export class DurationCounts {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  /** One place per bound, and one for what exceeds them all; not cumulative. */
  readonly counts: number[];
  /** Seconds in all. */
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Counts what began at `beginMs`, by the clock of `performance.now()`. */
  since(beginMs: number): void {
    const { bounds } = this;
    const seconds = (performance.now() - beginMs) / 1000;
    let place = 0;
    while (place < bounds.length && seconds > bounds[place]!) place++;
    this.counts[place]!++;
    this.sum += seconds;
  }
}
