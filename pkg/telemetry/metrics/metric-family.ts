import type { Metric, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

/** One value of a counter or gauge. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** The numbers of one histogram. */
export interface HistogramView {
  readonly labels: Labels;
  /** Upper bounds, ascending; the last, infinite one is implied. */
  readonly bounds: readonly number[];
  readonly sum: number;
  /** Observations at or below each bound, the infinite one last. */
  cumulative(): readonly number[];
}

/** A metric whose values are read at each scrape. `help` is one sentence. */
interface FamilyName {
  readonly name: string;
  readonly help: string;
}
export interface ValueFamily extends FamilyName {
  /** `untyped` where a name that dashboards know lacks the form that Prometheus requires of its type. */
  readonly type: 'counter' | 'gauge' | 'untyped';
  readonly samples: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}
export interface HistogramFamily extends FamilyName {
  readonly type: 'histogram';
  readonly series: () => Iterable<HistogramView>;
}
export type MetricFamily = ValueFamily | HistogramFamily;

/** In the form that the registry's text writer reads. `sharedLabels` are formatted once per object and cached. */
interface RegistryValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels?: Labels;
  readonly value: number;
}

/**
 * Adds families to a registry. Its own metric classes hash their label objects on every call; these keep numbers in
 * objects that the hot path holds, and the registry reads them only at the scrape.
 */
export function registerFamilies(registry: Registry, families: readonly MetricFamily[]): void {
  for (const family of families) {
    const metric = {
      name: family.name,
      get: async () => ({
        name: family.name,
        help: family.help,
        type: family.type,
        aggregator: 'sum',
        values: await valuesOf(family),
      }),
    };
    // The registry uses only a metric's name and `get`; its type names the classes of the library.
    registry.registerMetric(metric as unknown as Metric);
  }
}

async function valuesOf(family: MetricFamily): Promise<readonly RegistryValue[]> {
  const values: RegistryValue[] = [];
  if (family.type === 'histogram') for (const series of family.series()) addHistogram(values, family.name, series);
  else return [...(await family.samples())];
  return values;
}

function addHistogram(values: RegistryValue[], name: string, series: HistogramView): void {
  const { bounds, labels } = series;
  const cumulative = series.cumulative();
  for (const [i, value] of cumulative.entries()) {
    values.push({
      metricName: `${name}_bucket`,
      labels: i < bounds.length ? { le: bounds[i]! } : { le: '+Inf' },
      sharedLabels: labels,
      value,
    });
  }
  values.push({ metricName: `${name}_sum`, labels: {}, sharedLabels: labels, value: series.sum });
  values.push({ metricName: `${name}_count`, labels: {}, sharedLabels: labels, value: cumulative.at(-1)! });
}
