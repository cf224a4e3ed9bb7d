import { scaledValue } from '../../apimachinery/values/int-or-string.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { replicasOf, revisionOf } from './identity.ts';
import { isCreated, isDeleting, isServing } from './pod-state.ts';

/**
 * The pods to delete now, so that they come back by the newer revision: from the highest ordinal down to the partition.
 * `pods` are those of the set in the order of their ordinals.
 */
export function podsToUpdate(set: StatefulSet, pods: readonly Pod[], revision: string, nowMs: number): readonly Pod[] {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (type === 'OnDelete') return [];
  const isOld = (pod: Pod): boolean => isCreated(pod) && revisionOf(pod) !== revision && !isDeleting(pod);
  const isUp = (pod: Pod): boolean => isServing(pod, set.spec.minReadySeconds ?? 0, nowMs);
  const candidates = pods.slice(rollingUpdate?.partition ?? 0).toReversed();
  if (rollingUpdate?.maxUnavailable === undefined) {
    // One at a time: whatever comes first, an old pod or one that is waited for.
    const first = candidates.find((pod) => isOld(pod) || !isUp(pod));
    return first !== undefined && isOld(first) ? [first] : [];
  }
  const limit = maxUnavailable(set);
  // Old pods that are broken do not hold up their own repair.
  const waiting = pods.filter((pod) => !isUp(pod) && !isOld(pod)).length;
  return candidates.filter(isOld).slice(0, Math.max(0, limit - waiting));
}

/** How many pods may be unavailable while the set is updated: at least one. */
export function maxUnavailable(set: StatefulSet): number {
  return Math.max(1, scaledValue(set.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1, replicasOf(set), false));
}
