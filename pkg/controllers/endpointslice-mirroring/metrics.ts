import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';
import { sliceMetrics, type SyncedSlices } from '../service-endpoints/slice-metrics.ts';

const PREFIX = 'endpoint_slice_mirroring_controller';

export interface MirroringMetrics {
  readonly written: (key: string, slices: SyncedSlices, left: number) => void;
  readonly ended: (seconds: number) => void;
  readonly forget: (key: string) => void;
}

export function mirroringMetrics(metrics: ControllerMetrics): MirroringMetrics {
  const common = sliceMetrics(metrics, PREFIX);
  const updated = metrics.histogram({
    name: `${PREFIX}_endpoints_updated_per_sync`,
    help: 'Endpoints that one reconcile writes again.',
    buckets: exponentialBuckets(2, 2, 15),
  });
  const skipped = metrics.histogram({
    name: `${PREFIX}_addresses_skipped_per_sync`,
    help: 'Addresses that one reconcile leaves out: they are not valid, or too many.',
    buckets: exponentialBuckets(2, 2, 15),
  });
  const seconds = metrics.histogram({
    name: `${PREFIX}_endpoints_sync_duration`,
    help: 'Time that one reconcile of Endpoints takes, in seconds.',
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  return {
    written(key, slices, left) {
      updated.observe(common.synced(key, slices).updated);
      skipped.observe(left);
    },
    ended: (took) => seconds.observe(took),
    forget: common.forget,
  };
}
