import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import {
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type HPAScalingPolicy,
  type HPAScalingRules,
  HPAScalingPolicyTypeValues,
  ScalingPolicySelectValues,
} from '../../../generated/types/autoscaling-v2.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import { validateMetrics } from './metric-validation.ts';
import { type AllowedApiVersion, apiVersionProblem, validateReference } from './reference.ts';

export const validateAutoscalerName = nameIsDns1123Subdomain;

const PERIOD_SECONDS_MAX = 1800;
const STABILIZATION_WINDOW_SECONDS_MAX = 3600;

export function validateAutoscaler({ spec }: HorizontalPodAutoscaler, errors: FieldErrors): void {
  validateSpec(spec, undefined, field('spec'), errors);
}

/** An autoscaler that already scales to zero may continue, and one may keep a target that would be refused today. */
export function validateAutoscalerUpdate(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
  errors: FieldErrors,
): void {
  validateSpec(spec, old.spec, field('spec'), errors);
}

export function validateAutoscalerStatusUpdate(
  { status }: HorizontalPodAutoscaler,
  _old: HorizontalPodAutoscaler,
  errors: FieldErrors,
): void {
  validateNonNegative(status.currentReplicas, field('status', 'currentReplicas'), errors);
  validateNonNegative(status.desiredReplicas, field('status', 'desiredReplicas'), errors);
}

function validateSpec(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const minReplicasMin = old?.minReplicas === 0 ? 0 : 1;
  const { minReplicas, maxReplicas, behavior } = spec;
  if (minReplicas !== undefined && minReplicas < minReplicasMin) {
    errors.invalid(path.child('minReplicas'), minReplicas, `must be greater than or equal to ${minReplicasMin}`);
  }
  const maxPath = path.child('maxReplicas');
  if (maxReplicas === 0) errors.required(maxPath, 'must be set and greater than 0');
  else if (maxReplicas < 0) errors.invalid(maxPath, maxReplicas, 'must be greater than or equal to 1');
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.invalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`');
  validateReference(spec.scaleTargetRef, allowedTargetVersion(spec, old), path.child('scaleTargetRef'), errors);
  validateMetrics(spec.metrics ?? [], minReplicas, allowedObjectVersion(old), path.child('metrics'), errors);
  const behaviorPath = path.child('behavior');
  if (behavior?.scaleUp !== undefined) validateRules(behavior.scaleUp, behaviorPath.child('scaleUp'), errors);
  if (behavior?.scaleDown !== undefined) validateRules(behavior.scaleDown, behaviorPath.child('scaleDown'), errors);
}

/** Of the core group replication controllers alone can be scaled. */
function allowedTargetVersion(
  { scaleTargetRef: target }: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
): AllowedApiVersion {
  const before = old?.scaleTargetRef;
  if (before !== undefined && before.kind === target.kind && (before.apiVersion ?? '') === (target.apiVersion ?? ''))
    return 'unchecked';
  return target.kind === 'ReplicationController' ? 'any' : 'of a group';
}

function allowedObjectVersion(old: HorizontalPodAutoscalerSpec | undefined): AllowedApiVersion {
  const wasWrong = (old?.metrics ?? []).some(
    ({ type, object }) =>
      type === 'Object' && object !== undefined && apiVersionProblem(object.describedObject, 'any') !== undefined,
  );
  return wasWrong ? 'unchecked' : 'any';
}

function validateRules(rules: HPAScalingRules, path: FieldPath, errors: FieldErrors): void {
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  const secondsPath = path.child('stabilizationWindowSeconds');
  if (seconds !== undefined && seconds < 0)
    errors.invalid(secondsPath, seconds, 'must be greater than or equal to zero');
  if (seconds !== undefined && seconds > STABILIZATION_WINDOW_SECONDS_MAX) {
    errors.invalid(secondsPath, seconds, `must be less than or equal to ${STABILIZATION_WINDOW_SECONDS_MAX}`);
  }
  if (selectPolicy !== undefined && !ScalingPolicySelectValues.includes(selectPolicy)) {
    errors.notSupported(path.child('selectPolicy'), selectPolicy, ScalingPolicySelectValues);
  }
  const policiesPath = path.child('policies');
  if (policies.length === 0) errors.required(policiesPath, 'must specify at least one Policy');
  for (const [i, policy] of policies.entries()) validatePolicy(policy, policiesPath.index(i), errors);
  if (tolerance === undefined) return;
  const amount = parseQuantity(tolerance);
  if (amount.sign() < 0)
    errors.invalid(path.child('tolerance'), amount.toGoText(), 'must be greater than or equal to zero');
}

function validatePolicy(policy: HPAScalingPolicy, path: FieldPath, errors: FieldErrors): void {
  const { type, value, periodSeconds } = policy;
  if (!HPAScalingPolicyTypeValues.includes(type))
    errors.notSupported(path.child('type'), type, HPAScalingPolicyTypeValues);
  if (value <= 0) errors.invalid(path.child('value'), value, 'must be greater than zero');
  const periodPath = path.child('periodSeconds');
  if (periodSeconds <= 0) errors.invalid(periodPath, periodSeconds, 'must be greater than zero');
  if (periodSeconds > PERIOD_SECONDS_MAX)
    errors.invalid(periodPath, periodSeconds, `must be less than or equal to ${PERIOD_SECONDS_MAX}`);
}
