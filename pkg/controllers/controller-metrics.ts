import type { Clock } from '../apimachinery/clock.ts';

/**
 * What controllers measure with. Each has its metrics in `metrics.ts` of its folder, under the names that dashboards
 * know; the program that runs it says where they are shown.
 */

/** The values of a metric's labels: an argument for metrics that have labels, and none for the others. */
export type LabelValues<L extends string> = [L] extends [never] ? [] : [labels: Readonly<Record<L, string>>];

export interface MetricOptions<L extends string = never> {
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  /** Each set of values that is used has a series of its own; there must be few. */
  readonly labels?: readonly L[];
}

export interface HistogramOptions<L extends string = never> extends MetricOptions<L> {
  /** Upper bounds, ascending, without the infinite one. */
  readonly buckets: readonly number[];
}

export interface Counter<L extends string = never> {
  increment(...labels: LabelValues<L>): void;
  add(count: number, ...labels: LabelValues<L>): void;
}

export interface Gauge<L extends string = never> {
  set(value: number, ...labels: LabelValues<L>): void;
}

export interface Histogram<L extends string = never> {
  observe(value: number, ...labels: LabelValues<L>): void;
}

export interface MeasuredValue<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** Makes metrics. A name that is asked for again gives the same one: controllers come and go. */
export interface ControllerMetrics {
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>;
  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L>;
  histogram<L extends string = never>(options: HistogramOptions<L>): Histogram<L>;
  /** A gauge that is read at each scrape; of several readers the last one counts. */
  readGauge<L extends string = never>(options: MetricOptions<L>, read: () => Iterable<MeasuredValue<L>>): void;
}

const nothing = { increment: () => undefined, add: () => undefined, set: () => undefined, observe: () => undefined };

export const withoutMetrics: ControllerMetrics = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
  readGauge: () => undefined,
};

/** How many objects there are of each set of labels. */
export function countByLabels<T, L extends string>(
  objects: Iterable<T>,
  labelsOf: (object: T) => Readonly<Record<L, string>>,
): MeasuredValue<L>[] {
  const counts = new Map<string, { readonly labels: Readonly<Record<L, string>>; value: number }>();
  for (const object of objects) {
    const labels = labelsOf(object);
    const key = JSON.stringify(labels);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { labels, value: 1 });
    else known.value++;
  }
  return [...counts.values()];
}

/** `count` upper bounds from `first` on, each `factor` times the one before. */
export function exponentialBuckets(first: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first * factor ** i);
}

/** Runs work and observes how many seconds it took, and what it failed with, if it did. */
export async function timed<T>(
  clock: Pick<Clock, 'steadyMs'>,
  work: () => Promise<T>,
  observe: (seconds: number, error: unknown) => void,
): Promise<T> {
  const startMs = clock.steadyMs();
  const seconds = (): number => (clock.steadyMs() - startMs) / 1000;
  try {
    const result = await work();
    observe(seconds(), undefined);
    return result;
  } catch (error) {
    observe(seconds(), error);
    throw error;
  }
}
