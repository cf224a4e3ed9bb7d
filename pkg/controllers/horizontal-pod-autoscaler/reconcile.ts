import { parseLabelSelector, type LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { parseQuantity } from '../../apimachinery/values/quantity.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '../../generated/types/autoscaling-v2.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { AutoscalerConditions } from './autoscaler-conditions.ts';
import { desiredReplicas } from './desired-replicas.ts';
import type { AutoscalerMetrics } from './metrics.ts';
import type { ProposalInputs } from './metric-proposals.ts';
import type { ScalingHistory } from './scaling-history.ts';
import { limitReplicas } from './scaling-limits.ts';

export interface AutoscalerSteps extends Pick<ProposalInputs, 'clients' | 'resourceOf' | 'delays' | 'nowMs'> {
  readonly tolerance: number;
  readonly downscaleDelayMs: number;
  readonly history: ScalingHistory;
  readonly readScale: () => Promise<Scale>;
  readonly writeScale: (scale: Scale, replicas: number) => Promise<unknown>;
  readonly podsOf: (selector: LabelSelector) => readonly Pod[];
  /** Other autoscalers of the namespace that scale pods of this selector. */
  readonly rivals: (selector: string) => readonly string[];
  readonly writeStatus: (autoscaler: HorizontalPodAutoscaler) => Promise<unknown>;
  readonly metrics: Pick<AutoscalerMetrics, 'computing'>;
  readonly event: (type: 'Normal' | 'Warning', reason: string, note: string) => void;
  /** RFC 3339. */
  readonly now: string;
}

interface Target {
  readonly current: number;
  readonly statusReplicas: number;
  readonly selector: string;
  readonly min: number;
}

interface Wanted {
  /** Undefined: nothing is changed. */
  readonly replicas: number | undefined;
  readonly reason: string;
  readonly statuses: MetricStatus[] | null;
  /** The wanted number is not known: the status keeps the last one. */
  readonly isUnknown?: boolean;
}

/**
 * One round of one autoscaler: reads the scale of its target and the metrics, scales, and says what it found. Gives
 * whether it came to the metrics: not where the target is missing, at zero or out of bounds.
 */
export async function reconcile(autoscaler: HorizontalPodAutoscaler, steps: AutoscalerSteps): Promise<boolean> {
  const { event, now, history } = steps;
  const conditions = new AutoscalerConditions(autoscaler.status.conditions ?? [], now);
  const write = (change: Partial<HorizontalPodAutoscalerStatus>): Promise<void> =>
    writeChanged(autoscaler, change, conditions, steps);
  let scale: Scale;
  try {
    scale = await steps.readScale();
  } catch (error) {
    const text = (error as Error).message;
    event('Warning', 'FailedGetScale', text);
    const message = `the HPA controller was unable to get the target's current scale: ${text}`;
    conditions.set('AbleToScale', 'False', 'FailedGetScale', message);
    await write({});
    return false;
  }
  const found = "the HPA controller was able to get the target's current scale";
  conditions.set('AbleToScale', 'True', 'SucceededGetScale', found);
  const target: Target = {
    current: scale.spec.replicas ?? 0,
    statusReplicas: scale.status.replicas,
    selector: scale.status.selector ?? '',
    min: autoscaler.spec.minReplicas ?? 1,
  };
  history.begin(target.current);
  const { replicas, reason, statuses, isUnknown } = await wantedReplicas(autoscaler, target, conditions, steps);
  const currentReplicas = target.current;
  const hasMetrics = statuses !== null;
  if (replicas === undefined || replicas === currentReplicas) {
    await write({
      currentReplicas,
      currentMetrics: statuses,
      ...(isUnknown === true ? {} : { desiredReplicas: currentReplicas }),
    });
    return hasMetrics;
  }
  try {
    await steps.writeScale(scale, replicas);
  } catch (error) {
    const text = (error as Error).message;
    event('Warning', 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${text}`);
    const message = `the HPA controller was unable to update the target scale: ${text}`;
    conditions.set('AbleToScale', 'False', 'FailedUpdateScale', message);
    await write({ currentReplicas, currentMetrics: statuses });
    return hasMetrics;
  }
  const scaled = `the HPA controller was able to update the target scale to ${replicas}`;
  conditions.set('AbleToScale', 'True', 'SucceededRescale', scaled);
  event('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
  history.changed(replicas - currentReplicas);
  await write({ currentReplicas, desiredReplicas: replicas, currentMetrics: statuses, lastScaleTime: now });
  return hasMetrics;
}

async function wantedReplicas(
  autoscaler: HorizontalPodAutoscaler,
  target: Target,
  conditions: AutoscalerConditions,
  steps: AutoscalerSteps,
): Promise<Wanted> {
  const { maxReplicas: max } = autoscaler.spec;
  const { current, min } = target;
  if (current === 0 && min !== 0) {
    const disabled = 'scaling is disabled since the replica count of the target is zero';
    conditions.set('ScalingActive', 'False', 'ScalingDisabled', disabled);
    return { replicas: undefined, reason: '', statuses: null };
  }
  if (current > max)
    return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas', statuses: null };
  if (current < min)
    return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas', statuses: null };
  return byMetrics(autoscaler, target, conditions, steps);
}

async function byMetrics(
  autoscaler: HorizontalPodAutoscaler,
  { current, statusReplicas, selector, min }: Target,
  conditions: AutoscalerConditions,
  steps: AutoscalerSteps,
): Promise<Wanted> {
  const { event, tolerance, history, downscaleDelayMs } = steps;
  const { behavior, maxReplicas: max } = autoscaler.spec;
  const unknown = (note: string, statuses: MetricStatus[] | null): Wanted => {
    event('Warning', 'FailedComputeMetricsReplicas', note);
    return { replicas: undefined, reason: '', statuses, isUnknown: true };
  };
  const parsed = parsedSelector(autoscaler, selector, conditions, steps);
  if (typeof parsed === 'string') return unknown(parsed, null);
  const inputs: ProposalInputs = {
    ...steps,
    namespace: autoscaler.metadata.namespace!,
    selector,
    pods: steps.podsOf(parsed),
    replicas: current,
    statusReplicas,
    tolerances: {
      up: toleranceOf(behavior?.scaleUp, tolerance),
      down: toleranceOf(behavior?.scaleDown, tolerance),
    },
  };
  const warn = (reason: string, note: string): void => event('Warning', reason, note);
  const desired = await desiredReplicas(autoscaler, inputs, conditions, warn, steps.metrics.computing);
  if (desired.replicas === undefined) return unknown(desired.failure ?? '', desired.statuses);
  const bounds = { current, min, max, downscaleDelayMs };
  const replicas = limitReplicas(desired.replicas, behavior, bounds, history, conditions);
  return { replicas, reason: reasonOf(desired.replicas, current, desired.metric), statuses: desired.statuses };
}

/** By what the metrics ask for: limits and earlier recommendations have no word in it. */
function reasonOf(desired: number, current: number, metric: string): string {
  if (desired === current) return '';
  return desired > current ? `${metric} above target` : 'All metrics below target';
}

/** The rules have a quantity, such as `50m`. */
function toleranceOf(rules: HPAScalingRules | undefined, otherwise: number): number {
  if (rules?.tolerance === undefined) return otherwise;
  return Number(parseQuantity(rules.tolerance).milliValue()) / 1000;
}

/** The selector, or why there is none that can be used. */
function parsedSelector(
  { metadata }: HorizontalPodAutoscaler,
  selector: string,
  conditions: AutoscalerConditions,
  { event, rivals }: AutoscalerSteps,
): LabelSelector | string {
  const refuse = (eventReason: string, reason: string, note: string, message = note): string => {
    event('Warning', eventReason, note);
    conditions.set('ScalingActive', 'False', reason, message);
    return note;
  };
  if (selector === '') {
    const message = "the HPA target's scale is missing a selector";
    return refuse('SelectorRequired', 'InvalidSelector', 'selector is required', message);
  }
  let parsed: LabelSelector;
  try {
    parsed = parseLabelSelector(selector);
  } catch (error) {
    const note = `couldn't convert selector into a corresponding internal selector object: ${(error as Error).message}`;
    return refuse('InvalidSelector', 'InvalidSelector', note);
  }
  const others = rivals(selector);
  if (others.length === 0) return parsed;
  const names = [`${metadata.namespace}/${metadata.name}`, ...others].sort().join(' ');
  const note = `pods by selector ${selector} are controlled by multiple HPAs: [${names}]`;
  return refuse('AmbiguousSelector', 'AmbiguousSelector', note);
}

async function writeChanged(
  autoscaler: HorizontalPodAutoscaler,
  change: Partial<HorizontalPodAutoscalerStatus>,
  conditions: AutoscalerConditions,
  { writeStatus }: AutoscalerSteps,
): Promise<void> {
  const { observedGeneration: _, ...known } = autoscaler.status;
  const { currentReplicas, ...status }: HorizontalPodAutoscalerStatus = {
    ...known,
    ...change,
    conditions: conditions.all,
  };
  const shown = { ...status, ...((currentReplicas ?? 0) === 0 ? {} : { currentReplicas }) };
  if (!semanticDeepEqual(autoscaler.status, shown)) await writeStatus({ ...autoscaler, status: shown });
}
