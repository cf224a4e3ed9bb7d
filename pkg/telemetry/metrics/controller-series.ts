import type {
  ControllerMetrics,
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  MeasuredValue,
  MetricOptions,
} from '../../controllers/controller-metrics.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily, Sample } from './metric-family.ts';

/** Series of one metric: what else comes is not shown. Labels come from what users name, such as storage classes. */
const SERIES_MAX = 1000;

/** The metrics of controllers: each is registered when its controller asks for it. */
export class ControllerSeries implements ControllerMetrics {
  private readonly register: (family: MetricFamily) => void;
  private readonly known = new Map<string, Values | Histograms>();
  private readonly readers = new Map<string, () => Iterable<Sample>>();

  constructor(register: (family: MetricFamily) => void) {
    this.register = register;
  }

  counter<L extends string = never>(options: MetricOptions<L>): Counter<L> {
    return this.values('counter', options);
  }

  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L> {
    return this.values('gauge', options);
  }

  histogram<L extends string = never>({ name, help, labels = [], buckets }: HistogramOptions<L>): Histogram<L> {
    let histograms = this.known.get(name);
    if (histograms === undefined) {
      const made = new Histograms(labels, buckets);
      this.register({ name, help, type: 'histogram', series: () => made.series() });
      this.known.set(name, (histograms = made));
    }
    return histograms as Histogram<L>;
  }

  readGauge<L extends string = never>({ name, help }: MetricOptions<L>, read: () => Iterable<MeasuredValue<L>>): void {
    const isNew = !this.readers.has(name);
    this.readers.set(name, read);
    if (isNew) this.register({ name, help, type: 'gauge', samples: () => firstOf(this.readers.get(name)!()) });
  }

  private values<L extends string>(type: 'counter' | 'gauge', options: MetricOptions<L>): Counter<L> & Gauge<L> {
    const { name, help, labels = [] } = options;
    let values = this.known.get(name);
    if (values === undefined) {
      const made = new Values(labels);
      this.register({ name, help, type, samples: () => made.samples() });
      this.known.set(name, (values = made));
    }
    return values as Counter<L> & Gauge<L>;
  }
}

/** The series of a metric, by the values of its labels. One without labels has its series from the start. */
class SeriesByLabels<S> {
  private readonly names: readonly string[];
  private readonly make: (labels: Labels) => S;
  private readonly found = new Map<string, S>();

  constructor(names: readonly string[], make: (labels: Labels) => S) {
    this.names = names;
    this.make = make;
    if (names.length === 0) this.of({});
  }

  all(): Iterable<S> {
    return this.found.values();
  }

  /** Undefined: there are too many. */
  of(labels: Labels): S | undefined {
    const key =
      this.names.length === 1 ? labels[this.names[0]!]! : JSON.stringify(this.names.map((name) => labels[name]));
    let series = this.found.get(key);
    if (series === undefined && this.found.size < SERIES_MAX) {
      series = this.make(Object.fromEntries(this.names.map((name) => [name, labels[name] ?? ''])));
      this.found.set(key, series);
    }
    return series;
  }
}

class Values {
  private readonly byLabels: SeriesByLabels<{ readonly labels: Labels; value: number }>;

  constructor(names: readonly string[]) {
    this.byLabels = new SeriesByLabels(names, (labels) => ({ labels, value: 0 }));
  }

  samples(): Iterable<Sample> {
    return this.byLabels.all();
  }

  increment(labels: Labels = {}): void {
    this.add(1, labels);
  }

  add(count: number, labels: Labels = {}): void {
    const series = this.byLabels.of(labels);
    if (series !== undefined) series.value += count;
  }

  set(value: number, labels: Labels = {}): void {
    const series = this.byLabels.of(labels);
    if (series !== undefined) series.value = value;
  }
}

class Histograms {
  private readonly byLabels: SeriesByLabels<HistogramSeries>;

  constructor(names: readonly string[], bounds: readonly number[]) {
    this.byLabels = new SeriesByLabels(names, (labels) => new HistogramSeries(labels, bounds));
  }

  series(): Iterable<HistogramSeries> {
    return this.byLabels.all();
  }

  observe(value: number, labels: Labels = {}): void {
    this.byLabels.of(labels)?.observe(value);
  }
}

function firstOf(samples: Iterable<Sample>): Sample[] {
  const first: Sample[] = [];
  for (const sample of samples) {
    if (first.length === SERIES_MAX) break;
    first.push(sample);
  }
  return first;
}
