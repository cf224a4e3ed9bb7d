import type { HorizontalPodAutoscaler, MetricStatus } from '../../generated/types/autoscaling-v2.ts';
import type { AutoscalerConditions } from './autoscaler-conditions.ts';
import { scalingError, type AutoscalerMetrics } from './metrics.ts';
import { MetricError, type Proposal, proposalOf, type ProposalInputs } from './metric-proposals.ts';

export interface Desired {
  /** Undefined: the metrics do not say. */
  readonly replicas: number | undefined;
  /** The metric that asks for most. */
  readonly metric: string;
  /** One for each metric of the autoscaler; that of a metric without a value is empty. */
  readonly statuses: MetricStatus[];
  /** What to say of metrics without a value. */
  readonly failure: string | undefined;
}

export type Warn = (reason: string, note: string) => void;

/** The largest of what the metrics ask for. Where one has no value the number does not go down. */
export async function desiredReplicas(
  { spec }: HorizontalPodAutoscaler,
  inputs: ProposalInputs,
  conditions: AutoscalerConditions,
  warn: Warn,
  computing: AutoscalerMetrics['computing'],
): Promise<Desired> {
  const metrics = spec.metrics ?? [];
  const statuses: MetricStatus[] = [];
  const failures: MetricError[] = [];
  let best: Proposal | undefined;
  for (const metric of metrics) {
    const computed = computing(metric.type);
    try {
      const proposal = await proposalOf(metric, inputs);
      statuses.push(proposal.status);
      computed(proposal.replicas - inputs.replicas, 'none');
      if (best === undefined || proposal.replicas > best.replicas) best = proposal;
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      computed(0, scalingError(error.reason));
      statuses.push({ type: '' });
      failures.push(error);
      warn(error.reason, error.message);
    }
  }
  const [first] = failures;
  const failure =
    first === undefined
      ? undefined
      : `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.whole}`;
  if (best === undefined || (first !== undefined && best.replicas < inputs.replicas)) {
    if (first !== undefined)
      conditions.set(
        'ScalingActive',
        'False',
        first.reason,
        `the HPA was unable to compute the replica count: ${first.message}`,
      );
    return { replicas: undefined, metric: '', statuses, failure: failure ?? 'no metrics are given' };
  }
  const found = `the HPA was able to successfully calculate a replica count from ${best.metric}`;
  conditions.set('ScalingActive', 'True', 'ValidMetricFound', found);
  return { replicas: best.replicas, metric: best.metric, statuses, failure };
}
