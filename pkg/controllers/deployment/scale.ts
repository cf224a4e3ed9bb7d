import type { ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Rollout } from './current-set.ts';
import { proportionalSizes } from './proportional-scale.ts';
import { desiredReplicasOf } from './replica-set-annotations.ts';
import { active, allOf, byCreation, replicasOf, type ReplicaSets } from './replica-sets.ts';
import { resizeOld } from './roll-update.ts';
import { scaleSet } from './scale-set.ts';
import type { DeploymentSteps } from './steps.ts';
import { isRollingUpdate } from './strategy-limits.ts';

/** Whether the deployment was scaled since its sets were: not a rollout then, but other sizes. */
export function isScaled({ deployment, sets }: Rollout): boolean {
  return active(allOf(sets)).some((set) => {
    const desired = desiredReplicasOf(set);
    return desired !== undefined && desired !== (deployment.spec.replicas ?? 1);
  });
}

/** Brings the sizes of the sets in line with the deployment's, without going on with a rollout. */
export async function scale(rollout: Rollout, steps: DeploymentSteps): Promise<Rollout> {
  const { deployment, sets } = rollout;
  const replicas = deployment.spec.replicas ?? 1;
  const only = activeOrLatest(sets);
  if (only !== undefined) {
    if (replicasOf(only) === replicas) return rollout;
    return replaceSet(rollout, only, await scaleSet(deployment, only, replicas, steps));
  }
  const { current } = sets;
  if (current !== undefined && isSaturated(current, replicas))
    return resizeOld(
      rollout,
      active(sets.old).map((set) => ({ set, size: 0 })),
      steps,
    );
  if (!isRollingUpdate(deployment)) return rollout;
  let result = rollout;
  for (const { set, size } of proportionalSizes(deployment, active(allOf(sets))))
    result = replaceSet(result, set, await scaleSet(deployment, set, size, steps));
  return result;
}

/** The only set that wants pods; where none does, the current one, or the youngest. */
function activeOrLatest(sets: ReplicaSets): ReplicaSet | undefined {
  const running = active(allOf(sets));
  if (running.length > 1) return undefined;
  return running[0] ?? sets.current ?? sets.old.toSorted(byCreation).at(-1);
}

/** Whether the current set has all that the deployment wants, available. */
function isSaturated(set: ReplicaSet, replicas: number): boolean {
  return (
    replicasOf(set) === replicas &&
    desiredReplicasOf(set) === replicas &&
    (set.status.availableReplicas ?? 0) === replicas
  );
}

function replaceSet(rollout: Rollout, before: ReplicaSet, after: ReplicaSet): Rollout {
  const { deployment, sets } = rollout;
  return {
    deployment,
    sets: {
      current: sets.current === before ? after : sets.current,
      old: sets.old.map((set) => (set === before ? after : set)),
    },
  };
}
