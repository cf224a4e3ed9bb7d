import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';
import { byCreation, replicasOf } from './replica-sets.ts';
import { maxReplicasOf } from './replica-set-annotations.ts';
import { maxSurge } from './strategy-limits.ts';

/** How many replicas each set gets. */
export type Sizes = readonly { readonly set: ReplicaSet; readonly size: number }[];

/**
 * Shares what is added to a deployment in the middle of a rollout, or taken from it, among its replica sets by their
 * size; what is left by rounding goes to the largest.
 */
export function proportionalSizes(deployment: Deployment, sets: readonly ReplicaSet[]): Sizes {
  const replicas = deployment.spec.replicas ?? 1;
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0;
  const toAdd = allowed - sets.reduce((sum, set) => sum + replicasOf(set), 0);
  const bySize = sets.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let added = 0;
  const sizes = bySize.map((set) => {
    const share = toAdd === 0 ? 0 : proportionOf(deployment, set, toAdd, added);
    added += share;
    return { set, size: replicasOf(set) + share };
  });
  return sizes.map(({ set, size }, i) => ({ set, size: i === 0 ? Math.max(0, size + toAdd - added) : size }));
}

/** No more than what is left of what is to be shared. */
function proportionOf(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  if (replicasOf(set) === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, set);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

/** By how much the set changes when it keeps its share of all replicas. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const replicas = deployment.spec.replicas ?? 1;
  if (replicas === 0) return -replicasOf(set);
  const before = maxReplicasOf(set) || (deployment.status.replicas ?? 0);
  if (before === 0) return 0;
  return roundHalfUp((replicasOf(set) * (replicas + maxSurge(deployment))) / before) - replicasOf(set);
}

function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}
