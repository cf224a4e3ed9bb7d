import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';

/** Counts the syncs of namespaces by the code of their result. */
export function publisherMetrics(metrics: ControllerMetrics): (seconds: number, error: unknown) => void {
  const help = 'Namespaces whose certificates were brought up to date, by the code of the result.';
  const labels = ['code'] as const;
  const syncs = metrics.counter({ name: 'root_ca_cert_publisher_sync_total', help, labels });
  const durations = metrics.histogram({
    name: 'root_ca_cert_publisher_sync_duration_seconds',
    help: 'Time that it takes to bring the certificates of a namespace up to date.',
    labels,
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  return (seconds, error) => {
    const code = error === undefined ? '200' : String(error instanceof StatusError ? error.code : 500);
    syncs.increment({ code });
    durations.observe(seconds, { code });
  };
}
