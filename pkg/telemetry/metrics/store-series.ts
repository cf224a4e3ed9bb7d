import type { ObservedStoreOptions, StoreOperation } from '../../storage/observed-store.ts';
import type { StoreSize } from '../../storage/store.ts';
import type { Scheme } from '../../api/scheme.ts';
import { cacheName } from '../../registry/resource-store.ts';
import { GrpcCallCounts } from '../../storage/etcd/grpc-call-counts.ts';
import { grpcFamilies } from './grpc-families.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily } from './metric-family.ts';
import { resourceLabels } from './resource-labels.ts';

const bounds: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

const leaseBounds: readonly number[] = [10, 50, 100, 500, 1000, 2500, 5000];

/**
 * Times the calls to the store, by operation and resource. The names are those of etcd for either store: dashboards
 * know them.
 */
export class StoreSeries {
  /** For opening the store. */
  readonly observer: ObservedStoreOptions;
  private readonly byOperation = new Map<StoreOperation, Map<string, HistogramSeries>>();
  private readonly calls = new GrpcCallCounts();
  private readonly leases = new HistogramSeries({}, leaseBounds);
  private readonly scheme: Scheme;

  constructor(scheme: Scheme) {
    this.scheme = scheme;
    this.observer = {
      observe: (operation, type, seconds) => this.observe(operation, type, seconds),
      typeOf: (key) => this.typeOf(key),
      leaseReplaced: (keys) => this.leases.observe(keys),
      callCounts: this.calls,
    };
  }

  private observe(operation: StoreOperation, type: string, seconds: number): void {
    let byType = this.byOperation.get(operation);
    if (byType === undefined) this.byOperation.set(operation, (byType = new Map()));
    let series = byType.get(type);
    if (series === undefined)
      byType.set(type, (series = new HistogramSeries({ ...resourceLabels(type), operation, type }, bounds)));
    series.observe(seconds);
  }

  /** The resource of a key; empty for keys of none. */
  private typeOf(key: string): string {
    const first = key.indexOf('/');
    if (first < 0) return '';
    let found = this.scheme.forStoragePath(key.slice(0, first));
    if (found === undefined) {
      const second = key.indexOf('/', first + 1);
      found = second < 0 ? undefined : this.scheme.forStoragePath(key.slice(0, second));
    }
    return found === undefined ? '' : cacheName(found);
  }

  /** `sizes` is called at each scrape. */
  families(sizes: () => Promise<readonly StoreSize[]>): readonly MetricFamily[] {
    return [
      {
        name: 'etcd_request_duration_seconds',
        type: 'histogram',
        help: 'Time that calls to the store took, by operation and resource.',
        series: () => [...this.byOperation.values()].flatMap((byType) => [...byType.values()]),
      },
      {
        name: 'etcd_requests_total',
        type: 'counter',
        help: 'Calls to the store, by operation and resource.',
        samples: () =>
          [...this.byOperation.values()].flatMap((byType) =>
            [...byType.values()].map(({ labels, count }) => ({ labels, value: count })),
          ),
      },
      {
        name: 'etcd_lease_object_counts',
        type: 'histogram',
        help: 'Keys that shared one lease of etcd, when another lease took its place.',
        series: () => [this.leases],
      },
      ...grpcFamilies(this.calls),
      ...sizeFamilies(sizes),
    ];
  }
}

/**
 * Three names that followed each other. A store that does not answer must not fail the whole scrape: its size is
 * missing.
 */
function sizeFamilies(sizes: () => Promise<readonly StoreSize[]>): readonly MetricFamily[] {
  const of = (name: string, help: string, labelsOf: (endpoint: string, index: number) => Labels): MetricFamily => ({
    name,
    type: 'gauge',
    help,
    samples: () =>
      sizes().then(
        (all) => all.map(({ endpoint, bytes }, index) => ({ labels: labelsOf(endpoint, index), value: bytes })),
        () => [],
      ),
  });
  return [
    of('etcd_db_total_size_in_bytes', "Bytes of the store's data on disk, per server of the store.", (endpoint) => ({
      endpoint,
    })),
    of('apiserver_storage_db_total_size_in_bytes', 'The same under the name of releases from 1.25 on.', (endpoint) => ({
      endpoint,
    })),
    of('apiserver_storage_size_bytes', 'The same, the servers by their place among those that answer.', (_, index) => ({
      storage_cluster_id: `etcd-${index}`,
    })),
  ];
}
