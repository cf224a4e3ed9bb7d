import type { HorizontalPodAutoscalerCondition } from '../../generated/types/autoscaling-v2.ts';

export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';

/** The conditions of an autoscaler while it is reconciled. */
export class AutoscalerConditions {
  private conditions: readonly HorizontalPodAutoscalerCondition[];
  private readonly now: string;

  constructor(conditions: readonly HorizontalPodAutoscalerCondition[], now: string) {
    this.conditions = conditions;
    this.now = now;
  }

  get all(): HorizontalPodAutoscalerCondition[] {
    return [...this.conditions];
  }

  set(type: ConditionType, status: 'True' | 'False', reason: string, message: string): void {
    const old = this.conditions.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : this.now;
    const made = { type, status, lastTransitionTime, reason, message };
    this.conditions =
      old === undefined
        ? [...this.conditions, made]
        : this.conditions.map((condition) => (condition === old ? made : condition));
  }
}
