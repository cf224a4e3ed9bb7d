import type { Deployment } from '../../generated/types/apps-v1.ts';
import { active, allOf, availableReplicas, replicasOf, wantedReplicas, type ReplicaSets } from './replica-sets.ts';
import { isRollingUpdate, maxSurge, maxUnavailable } from './strategy-limits.ts';
import type { Sizes } from './proportional-scale.ts';

/** How many replicas the current set may have now. */
export function newSetSize(deployment: Deployment, sets: ReplicaSets): number {
  const wanted = deployment.spec.replicas ?? 1;
  if (!isRollingUpdate(deployment)) return wanted;
  const size = replicasOf(sets.current!);
  // The set was scaled by hand.
  if (size > wanted) return wanted;
  const room = wanted + maxSurge(deployment) - wantedReplicas(allOf(sets));
  return room <= 0 ? size : size + Math.max(0, Math.min(room, wanted - size));
}

/** How many replicas the old sets keep when pods that are not available go, as far as others may be missing. */
export function withoutUnhealthy(deployment: Deployment, { current, old }: ReplicaSets): Sizes {
  const all = allOf({ current, old });
  const unavailable = current === undefined ? 0 : replicasOf(current) - (current.status.availableReplicas ?? 0);
  let left = wantedReplicas(all) - minAvailable(deployment) - unavailable;
  return active(old).map((set) => {
    const size = replicasOf(set);
    const removed = Math.max(0, Math.min(left, size - (set.status.availableReplicas ?? 0)));
    left -= removed;
    return { set, size: size - removed };
  });
}

/** How many replicas the old sets keep when as many go as there are available ones to spare. */
export function withoutSpare(deployment: Deployment, { current, old }: ReplicaSets): Sizes {
  let left = Math.max(0, availableReplicas(allOf({ current, old })) - minAvailable(deployment));
  return active(old).map((set) => {
    const size = replicasOf(set);
    const removed = Math.min(left, size);
    left -= removed;
    return { set, size: size - removed };
  });
}

/** Whether old pods may go at all: those that are to come do not count as if they were there. */
export function mayShrink(deployment: Deployment, { current, old }: ReplicaSets): boolean {
  const unavailable = current === undefined ? 0 : replicasOf(current) - (current.status.availableReplicas ?? 0);
  return (
    wantedReplicas(old) > 0 && wantedReplicas(allOf({ current, old })) - minAvailable(deployment) - unavailable > 0
  );
}

function minAvailable(deployment: Deployment): number {
  return (deployment.spec.replicas ?? 1) - maxUnavailable(deployment);
}
