import type { HorizontalPodAutoscaler } from '../../generated/types/autoscaling-v2.ts';
import { exponentialBuckets, type ControllerMetrics } from '../controller-metrics.ts';

const PREFIX = 'horizontal_pod_autoscaler_controller';

export type ScalingError = 'spec' | 'internal' | 'none';

export interface AutoscalerMetrics {
  readonly reconciled: (change: number, error: ScalingError, seconds: number) => void;
  readonly computed: (metricType: string, change: number, error: ScalingError, seconds: number) => void;
}

/** What the author of an autoscaler has to correct, as opposed to what may pass. */
const SPEC_REASONS = new Set(['SelectorRequired', 'InvalidSelector', 'AmbiguousSelector', 'InvalidMetricSourceType']);

/** The kind of failure that a warning is about. */
export function scalingError(reason: string): ScalingError {
  return SPEC_REASONS.has(reason) ? 'spec' : 'internal';
}

export function autoscalerMetrics(metrics: ControllerMetrics): AutoscalerMetrics {
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
  const actionOf = (change: number): string => (change > 0 ? 'scale_up' : change < 0 ? 'scale_down' : 'none');
  return {
    reconciled(change, error, seconds) {
      const labels = { action: actionOf(change), error };
      rounds.increment(labels);
      roundSeconds.observe(seconds, labels);
    },
    computed(metricType, change, error, seconds) {
      const labels = { action: actionOf(change), error, metric_type: metricType };
      computations.increment(labels);
      computationSeconds.observe(seconds, labels);
    },
  };
}

/** Shows how many autoscalers there are, and what each wants. */
export function showAutoscalers(
  metrics: ControllerMetrics,
  autoscalers: () => readonly HorizontalPodAutoscaler[],
): void {
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
