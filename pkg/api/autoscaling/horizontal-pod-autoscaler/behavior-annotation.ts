import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import { DecodeError, normalize } from '../../../codec/normalize.ts';
import { schemaOf } from '../../../codec/schemas.ts';
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../../generated/types/autoscaling-v2.ts';
import { BEHAVIOR_ANNOTATION, readJson, writeJson } from './roundtrip-annotations.ts';

/**
 * Stock servers write the behavior with the names of their internal structs,
 * `{"ScaleUp":{"StabilizationWindowSeconds":0,...}}`, absent values as null, and read names in any case.
 */

export function writeBehavior(meta: ObjectMeta, behavior: HorizontalPodAutoscalerBehavior | undefined): void {
  if (behavior === undefined) return;
  writeJson(meta, BEHAVIOR_ANNOTATION, {
    ScaleUp: internalRules(behavior.scaleUp),
    ScaleDown: internalRules(behavior.scaleDown),
  });
}

function internalRules(rules: HPAScalingRules | undefined): object | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies:
      rules.policies?.map((policy) => ({
        Type: policy.type,
        Value: policy.value,
        PeriodSeconds: policy.periodSeconds,
      })) ?? null,
    ...(rules.tolerance === undefined ? {} : { Tolerance: rules.tolerance }),
  };
}

/** Undefined where it is absent or empty. */
export function readBehavior(meta: ObjectMeta): HorizontalPodAutoscalerBehavior | undefined {
  const value = readJson(meta, BEHAVIOR_ANNOTATION);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  try {
    const behavior = normalize<HorizontalPodAutoscalerBehavior>(
      withFieldNames(value, DEPTH_MAX),
      schemaOf('autoscaling/v2.HorizontalPodAutoscalerBehavior'),
    );
    return Object.keys(behavior).length > 0 ? behavior : undefined;
  } catch (e) {
    if (e instanceof DecodeError) return undefined;
    throw e;
  }
}

/** Behavior, rules, list, policy: nothing is deeper. */
const DEPTH_MAX = 4;

/** The same value with the keys of the fields: `ScaleUp` becomes `scaleUp`. */
function withFieldNames(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object' || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withFieldNames(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.charAt(0).toLowerCase() + key.slice(1),
      withFieldNames(item, depth - 1),
    ]),
  );
}
