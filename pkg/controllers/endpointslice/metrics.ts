import type { Service } from '../../generated/types/core-v1.ts';
import { countByLabels, type ControllerMetrics } from '../controller-metrics.ts';
import { sliceMetrics, type SyncedSlices } from '../service-endpoints/slice-metrics.ts';
import { wantsTopology } from './topology-hints.ts';
import { hintedDistributions } from './traffic-hints.ts';

const PREFIX = 'endpoint_slice_controller';
/** Default buckets of Prometheus. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface EndpointSliceMetrics {
  readonly written: (key: string, service: Service, slices: SyncedSlices) => void;
  readonly ended: (result: 'success' | 'error') => void;
  readonly forget: (key: string) => void;
}

export function endpointSliceMetrics(metrics: ControllerMetrics): EndpointSliceMetrics {
  const common = sliceMetrics(metrics, PREFIX);
  const changed = metrics.histogram({
    name: `${PREFIX}_endpointslices_changed_per_sync`,
    help: 'EndpointSlices that one reconcile writes.',
    labels: ['topology', 'traffic_distribution'],
    buckets: BUCKETS,
  });
  const syncs = metrics.counter({ name: `${PREFIX}_syncs`, help: 'Reconciles of services.', labels: ['result'] });
  /** By service, where one is given. */
  const distributions = new Map<string, string>();
  metrics.readGauge(
    {
      name: `${PREFIX}_services_count_by_traffic_distribution`,
      help: 'Services with a traffic distribution.',
      labels: ['traffic_distribution'],
    },
    () => countByLabels(distributions.values(), (traffic_distribution) => ({ traffic_distribution })),
  );
  return {
    written(key, service, slices) {
      const { trafficDistribution = '' } = service.spec;
      if (trafficDistribution === '') distributions.delete(key);
      else
        distributions.set(
          key,
          hintedDistributions.has(trafficDistribution) ? trafficDistribution : 'ImplementationSpecific',
        );
      const topology = wantsTopology(service) ? 'Auto' : 'Disabled';
      const count = common.synced(key, slices).changed;
      changed.observe(count, { topology, traffic_distribution: distributions.get(key) ?? '' });
    },
    ended: (result) => syncs.increment({ result }),
    forget(key) {
      distributions.delete(key);
      common.forget(key);
    },
  };
}
