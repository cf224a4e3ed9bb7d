import { scaledValue } from '../../apimachinery/values/int-or-string.ts';
import type { DaemonSet } from '../../generated/types/apps-v1.ts';

export interface UpdateLimits {
  /** Nodes that may have two pods. */
  readonly surge: number;
  /** Nodes that may have no available pod. */
  readonly unavailable: number;
}

/** Percentages are rounded up; both 0 would never get anywhere. */
export function updateLimits(set: DaemonSet, nodes: number): UpdateLimits {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (type !== 'RollingUpdate') return { surge: 0, unavailable: 0 };
  const surge = scaledValue(rollingUpdate?.maxSurge ?? 0, nodes, true);
  const unavailable = scaledValue(rollingUpdate?.maxUnavailable ?? 1, nodes, true);
  return { surge, unavailable: surge === 0 && unavailable === 0 && nodes > 0 ? 1 : unavailable };
}

export function allowsSurge(set: DaemonSet): boolean {
  return updateLimits(set, 1).surge > 0;
}
