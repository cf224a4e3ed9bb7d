import type { HorizontalPodAutoscaler as AutoscalerV1 } from '../../../generated/types/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../../../generated/types/autoscaling-v2.ts';
import type { HorizontalPodAutoscaler as AutoscalerV2beta1 } from '../../../generated/types/autoscaling-v2beta1.ts';

/** Default target as percent of the requested CPU when the client names no metric. */
const DEFAULT_CPU_UTILIZATION = 80;

/** The metric of autoscaling/v1 is defaulted in conversion, which sees the metrics in annotations. */
export function setV1Defaults(object: AutoscalerV1): void {
  object.spec.minReplicas ??= 1;
}

export function setV2beta1Defaults(object: AutoscalerV2beta1): void {
  object.spec.minReplicas ??= 1;
}

export function setV2Defaults({ spec }: HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [defaultMetric()];
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = withRuleDefaults(spec.behavior.scaleUp, {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  });
  spec.behavior.scaleDown = withRuleDefaults(spec.behavior.scaleDown, {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  });
}

export function defaultMetric(): NonNullable<HorizontalPodAutoscaler['spec']['metrics']>[number] {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: DEFAULT_CPU_UTILIZATION } },
  };
}

function withRuleDefaults(rules: HPAScalingRules | undefined, defaults: HPAScalingRules): HPAScalingRules {
  const given = Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given };
}
