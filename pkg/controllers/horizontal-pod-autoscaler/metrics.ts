import type { Clock } from '../../apimachinery/clock.ts';
import type { HorizontalPodAutoscaler } from '../../generated/types/autoscaling-v2.ts';
import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';

const PREFIX = 'horizontal_pod_autoscaler_controller';

export type ScalingError = 'spec' | 'internal' | 'none';

/** To be called at the end of what is measured, with the replicas that it adds. */
type Measured = (change: number, error: ScalingError) => void;

export interface AutoscalerMetrics {
  /** One reconcile begins. */
  readonly reconciling: () => Measured;
  /** The computation of what one metric asks for begins. */
  readonly computing: (metricType: string) => Measured;
}

/** What the author of an autoscaler has to correct, as opposed to what may pass. */
const SPEC_REASONS = new Set(['SelectorRequired', 'InvalidSelector', 'AmbiguousSelector', 'InvalidMetricSourceType']);

/** The kind of failure that a warning is about. */
export function scalingError(reason: string): ScalingError {
  return SPEC_REASONS.has(reason) ? 'spec' : 'internal';
}

export function autoscalerMetrics(
  metrics: ControllerMetrics,
  clock: Pick<Clock, 'steadyMs'>,
  autoscalers: () => readonly HorizontalPodAutoscaler[],
): AutoscalerMetrics {
  showAutoscalers(metrics, autoscalers);
  const buckets = exponentialBuckets(0.001, 2, 15);
  const roundLabels = ['action', 'error'] as const;
  const metricLabels = ['action', 'error', 'metric_type'] as const;
  const rounds = metrics.counter({
    name: `${PREFIX}_reconciliations_total`,
    help: 'Reconciles of autoscalers.',
    labels: roundLabels,
  });
  const roundSeconds = metrics.histogram({
    name: `${PREFIX}_reconciliation_duration_seconds`,
    help: 'Time that one reconcile of an autoscaler takes.',
    labels: roundLabels,
    buckets,
  });
  const computations = metrics.counter({
    name: `${PREFIX}_metric_computation_total`,
    help: 'Computations of what one metric of an autoscaler asks for.',
    labels: metricLabels,
  });
  const computationSeconds = metrics.histogram({
    name: `${PREFIX}_metric_computation_duration_seconds`,
    help: 'Time that it takes to compute what one metric asks for.',
    labels: metricLabels,
    buckets,
  });
  const measured = (observe: (labels: Record<'action' | 'error', string>, seconds: number) => void): Measured => {
    const startMs = clock.steadyMs();
    return (change, error) => {
      const action = change > 0 ? 'scale_up' : change < 0 ? 'scale_down' : 'none';
      observe({ action, error }, (clock.steadyMs() - startMs) / 1000);
    };
  };
  return {
    reconciling: () =>
      measured((labels, seconds) => {
        rounds.increment(labels);
        roundSeconds.observe(seconds, labels);
      }),
    computing: (metric_type) =>
      measured((labels, seconds) => {
        computations.increment({ ...labels, metric_type });
        computationSeconds.observe(seconds, { ...labels, metric_type });
      }),
  };
}

/** Shows how many autoscalers there are, and what each wants. */
function showAutoscalers(metrics: ControllerMetrics, autoscalers: () => readonly HorizontalPodAutoscaler[]): void {
  metrics.readGauge({ name: `${PREFIX}_num_horizontal_pod_autoscalers`, help: 'Autoscalers.' }, () => [
    { labels: {}, value: autoscalers().length },
  ]);
  const desired = {
    name: `${PREFIX}_desired_replicas`,
    help: 'Replicas that an autoscaler wants.',
    labels: ['namespace', 'hpa_name'] as const,
  };
  metrics.readGauge(desired, () =>
    autoscalers().map(({ metadata, status }) => ({
      labels: { namespace: metadata.namespace!, hpa_name: metadata.name! },
      value: status.desiredReplicas ?? 0,
    })),
  );
}
