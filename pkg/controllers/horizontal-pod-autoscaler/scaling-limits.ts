import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from '../../generated/types/autoscaling-v2.ts';
import type { AutoscalerConditions } from './autoscaler-conditions.ts';
import type { ScalingHistory } from './scaling-history.ts';

export interface Bounds {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  readonly downscaleDelayMs: number;
}

interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

/** Without a behavior the number at most doubles, and may grow to this in any case. */
const GROWTH_FACTOR = 2;
const GROWTH_MIN = 4;

const within = (replicas: number): Limited => ({
  replicas,
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
});
const tooMany = (replicas: number): Limited => ({
  replicas,
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
});
const tooFew = (replicas: number): Limited => ({
  replicas,
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
});
const tooFast = (replicas: number, isUp: boolean): Limited => ({
  replicas,
  reason: isUp ? 'ScaleUpLimit' : 'ScaleDownLimit',
  message: `the desired replica count is ${isUp ? 'increasing' : 'decreasing'} faster than the maximum scale rate`,
});

const DEFAULT_UP: Required<Pick<HPAScalingRules, 'selectPolicy' | 'policies'>> = {
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DEFAULT_DOWN: typeof DEFAULT_UP = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/** What is done of what the metrics ask for: recent recommendations, rates and bounds hold it back. */
export function limitReplicas(
  desired: number,
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  bounds: Bounds,
  history: ScalingHistory,
  conditions: AutoscalerConditions,
): number {
  const stable =
    behavior === undefined
      ? Math.max(desired, ...history.recommendedWithin(bounds.downscaleDelayMs))
      : stabilized(desired, behavior, bounds, history);
  history.recommend(desired);
  if (stable === desired)
    conditions.set('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size');
  else if (behavior !== undefined && desired >= bounds.current)
    conditions.set(
      'AbleToScale',
      'True',
      'ScaleUpStabilized',
      'recent recommendations were lower than current one, applying the lowest recent recommendation',
    );
  else
    conditions.set(
      'AbleToScale',
      'True',
      'ScaleDownStabilized',
      'recent recommendations were higher than current one, applying the highest recent recommendation',
    );
  const limited =
    behavior === undefined ? limitedPlainly(stable, bounds) : limitedByRates(stable, behavior, bounds, history);
  conditions.set('ScalingLimited', limited.replicas === stable ? 'False' : 'True', limited.reason, limited.message);
  return limited.replicas;
}

function stabilized(
  desired: number,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  { current, downscaleDelayMs }: Bounds,
  history: ScalingHistory,
): number {
  const upMs = (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSeconds = scaleDown?.stabilizationWindowSeconds;
  const downMs = downSeconds === undefined ? downscaleDelayMs : downSeconds * 1000;
  const up = Math.min(desired, ...history.recommendedWithin(upMs));
  const down = Math.max(desired, ...history.recommendedWithin(downMs));
  return Math.min(Math.max(current, up), down);
}

function limitedPlainly(desired: number, { current, min, max }: Bounds): Limited {
  const growth = Math.max(GROWTH_FACTOR * current, GROWTH_MIN);
  if (desired < min) return tooFew(min);
  if (desired > Math.min(max, growth)) return max > growth ? tooFast(growth, true) : tooMany(max);
  return within(desired);
}

function limitedByRates(
  desired: number,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  { current, min, max }: Bounds,
  history: ScalingHistory,
): Limited {
  if (desired > current) {
    const rate = Math.max(current, upLimit(current, { ...DEFAULT_UP, ...scaleUp }, history));
    if (desired > Math.min(max, rate)) return max > rate ? tooFast(rate, true) : tooMany(max);
  } else if (desired < current) {
    const rate = Math.min(current, downLimit(current, { ...DEFAULT_DOWN, ...scaleDown }, history));
    if (desired < Math.max(min, rate)) return min < rate ? tooFast(rate, false) : tooFew(min);
  }
  return within(desired);
}

function upLimit(current: number, { selectPolicy, policies }: HPAScalingRules, history: ScalingHistory): number {
  if (selectPolicy === 'Disabled') return current;
  const proposals = (policies ?? []).map(({ type, value, periodSeconds }) => {
    const before = history.replicasBefore(current, periodSeconds * 1000);
    // In this order of operations: stock controllers round what floating point makes of it.
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100));
  });
  return selectPolicy === 'Min' ? Math.min(...proposals) : Math.max(...proposals);
}

function downLimit(current: number, { selectPolicy, policies }: HPAScalingRules, history: ScalingHistory): number {
  if (selectPolicy === 'Disabled') return current;
  const proposals = (policies ?? []).map(({ type, value, periodSeconds }) => {
    const before = history.replicasBefore(current, periodSeconds * 1000);
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100));
  });
  return selectPolicy === 'Min' ? Math.max(...proposals) : Math.min(...proposals);
}
