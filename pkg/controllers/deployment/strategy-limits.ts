import { scaledValue } from '../../apimachinery/values/int-or-string.ts';
import type { Deployment } from '../../generated/types/apps-v1.ts';

/** A deployment without a deadline says so by the largest number. */
const NO_DEADLINE = 2 ** 31 - 1;

export function isRollingUpdate({ spec }: Deployment): boolean {
  return spec.strategy?.type === 'RollingUpdate';
}

/** Pods above the wanted ones. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? limitsOf(deployment).surge : 0;
}

/** Pods below the wanted ones, at most all. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = deployment.spec.replicas ?? 1;
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  return Math.min(replicas, limitsOf(deployment).unavailable);
}

export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

/** Of percentages the surge is rounded up and the rest down; both 0 would never get anywhere. */
function limitsOf({ spec }: Deployment): { readonly surge: number; readonly unavailable: number } {
  const replicas = spec.replicas ?? 1;
  const { maxSurge: most, maxUnavailable: least } = spec.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(most ?? 0, replicas, true);
  const unavailable = scaledValue(least ?? 0, replicas, false);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
