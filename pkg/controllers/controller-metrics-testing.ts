import type {
  ControllerMetrics,
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  MeasuredValue,
  MetricOptions,
} from './controller-metrics.ts';

type Labels = Readonly<Record<string, string>>;

/** For tests: keeps what controllers measure. */
export class RecordedMetrics implements ControllerMetrics {
  private readonly values = new Map<string, number>();
  private readonly readers = new Map<string, () => Iterable<MeasuredValue<string>>>();

  counter<L extends string = never>({ name }: MetricOptions<L>): Counter<L> {
    const add = (count: number, labels: Labels = {}): void => this.add(name, labels, count);
    return { add, increment: (labels: Labels = {}) => add(1, labels) } as Counter<L>;
  }

  gauge<L extends string = never>({ name }: MetricOptions<L>): Gauge<L> {
    return { set: (value: number, labels: Labels = {}) => void this.values.set(seriesName(name, labels), value) };
  }

  /** Keeps the number of observations, `name_count`, and their sum. */
  histogram<L extends string = never>({ name }: HistogramOptions<L>): Histogram<L> {
    return {
      observe: (value: number, labels: Labels = {}) => {
        this.add(`${name}_count`, labels, 1);
        this.add(`${name}_sum`, labels, value);
      },
    };
  }

  readGauge<L extends string = never>({ name }: MetricOptions<L>, read: () => Iterable<MeasuredValue<L>>): void {
    this.readers.set(name, read as () => Iterable<MeasuredValue<string>>);
  }

  /** By name and labels, such as `syncs_total{result="error"}`, those whose name begins so. */
  get(prefix: string): Record<string, number> {
    const found = new Map([...this.values].filter(([name]) => name.startsWith(prefix)));
    for (const [name, read] of this.readers) {
      if (!name.startsWith(prefix)) continue;
      for (const { labels, value } of read()) found.set(seriesName(name, labels), value);
    }
    return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private add(name: string, labels: Labels, count: number): void {
    const key = seriesName(name, labels);
    this.values.set(key, (this.values.get(key) ?? 0) + count);
  }
}

function seriesName(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? name : `${name}{${pairs.map(([key, value]) => `${key}="${value}"`).join(',')}}`;
}
