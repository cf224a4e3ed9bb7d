import type { DurationCounts } from '../../apimachinery/collections/duration-counts.ts';
import type { HistogramView, Labels } from './metric-family.ts';

/** One histogram with fixed labels: counts per bucket, filled without allocating. */
export class HistogramSeries implements HistogramView {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** One more than bounds; not cumulative. */
  private readonly counts: number[];
  private total = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Counts a value `times` times. */
  observe(value: number, times = 1): void {
    const { bounds } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i++;
    this.counts[i]! += times;
    this.total += value * times;
  }

  get sum(): number {
    return this.total;
  }

  get count(): number {
    return this.counts.reduce((a, b) => a + b, 0);
  }

  cumulative(): number[] {
    return runningSums(this.counts);
  }
}

/** Durations from a counter, as a histogram. */
export function durationView(labels: Labels, { bounds, counts, sum }: DurationCounts): HistogramView {
  return { labels, bounds, sum, cumulative: () => runningSums(counts) };
}

export function runningSums(counts: readonly number[]): number[] {
  let seen = 0;
  return counts.map((n) => (seen += n));
}

/** `count` bounds from `first` on, each `factor` times the one before. */
export function exponentialBounds(first: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first * factor ** i);
}
