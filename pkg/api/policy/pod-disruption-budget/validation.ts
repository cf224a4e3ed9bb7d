import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { type PodDisruptionBudget, UnhealthyPodEvictionPolicyTypeValues } from '../../../generated/types/policy-v1.ts';
import { validateCounts } from '../../apps/counts.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { validateConditions } from '../../validation/conditions.ts';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../../validation/int-or-percent.ts';

export function validateDisruptionBudget({ spec }: PodDisruptionBudget, errors: FieldErrors): void {
  const path = field('spec');
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    errors.invalid(
      path,
      goText('policy.PodDisruptionBudgetSpec{...}'),
      'minAvailable and maxUnavailable cannot be both set',
    );
  }
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[name];
    if (value === undefined) continue;
    validatePositiveIntOrPercent(value, path.child(name), errors);
    validateNotMoreThan100Percent(value, path.child(name), errors);
  }
  validateLabelSelector(spec.selector, path.child('selector'), errors);
  const eviction = spec.unhealthyPodEvictionPolicy;
  if (eviction !== undefined && !UnhealthyPodEvictionPolicyTypeValues.includes(eviction)) {
    errors.notSupported(path.child('unhealthyPodEvictionPolicy'), eviction, UnhealthyPodEvictionPolicyTypeValues);
  }
}

const STATUS_COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

/** The counts were not checked when policy/v1beta1 came, and stay unchecked there. */
export function validateDisruptionBudgetStatusUpdate(
  { status }: PodDisruptionBudget,
  _old: PodDisruptionBudget,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  const path = field('status');
  validateConditions(status.conditions ?? [], path.child('conditions'), errors);
  if (context.requestVersion !== 'policy/v1beta1') validateCounts(status, STATUS_COUNTS, path, errors);
}
