import type { ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { ensureCurrentSet, type Rollout } from './current-set.ts';
import type { Sizes } from './proportional-scale.ts';
import { actualReplicas, active, replicasOf, type ReplicaSets } from './replica-sets.ts';
import { mayShrink, newSetSize, withoutSpare, withoutUnhealthy } from './roll-sizes.ts';
import { scaleSet } from './scale-set.ts';
import type { DeploymentSteps } from './steps.ts';

/** One step of a rolling update: the current set grows first; where it need not, the old ones shrink. */
export async function rollUpdate(rollout: Rollout, steps: DeploymentSteps): Promise<Rollout> {
  const ensured = await ensureCurrentSet(rollout, steps, true);
  const grown = await resizeCurrent(ensured, newSetSize(ensured.deployment, ensured.sets), steps);
  if (grown.sets !== ensured.sets || !mayShrink(grown.deployment, grown.sets)) return grown;
  const healthy = await resizeOld(grown, withoutUnhealthy(grown.deployment, grown.sets), steps);
  return resizeOld(healthy, withoutSpare(healthy.deployment, healthy.sets), steps);
}

/** One step of a rollout that deletes all old pods before it creates new ones. */
export async function recreate(rollout: Rollout, steps: DeploymentSteps): Promise<Rollout> {
  const known = await ensureCurrentSet(rollout, steps, false);
  const shrunk = await resizeOld(
    known,
    active(known.sets.old).map((set) => ({ set, size: 0 })),
    steps,
  );
  if (shrunk.sets !== known.sets || hasOldPods(shrunk.sets, steps.podsOf)) return shrunk;
  const ensured = await ensureCurrentSet(shrunk, steps, true);
  return resizeCurrent(ensured, ensured.deployment.spec.replicas ?? 1, steps);
}

async function resizeCurrent(rollout: Rollout, size: number, steps: DeploymentSteps): Promise<Rollout> {
  const { deployment, sets } = rollout;
  const current = sets.current!;
  if (replicasOf(current) === size) return rollout;
  return { deployment, sets: { ...sets, current: await scaleSet(deployment, current, size, steps) } };
}

/** The same rollout where no size changes. */
export async function resizeOld(rollout: Rollout, sizes: Sizes, steps: DeploymentSteps): Promise<Rollout> {
  const { deployment, sets } = rollout;
  const changed = new Map<ReplicaSet, ReplicaSet>();
  for (const { set, size } of sizes)
    if (replicasOf(set) !== size) changed.set(set, await scaleSet(deployment, set, size, steps));
  if (changed.size === 0) return rollout;
  return { deployment, sets: { ...sets, old: sets.old.map((set) => changed.get(set) ?? set) } };
}

/** Whether pods of old sets may still run: those that are being deleted as well, and those of a node that is lost. */
function hasOldPods({ old }: ReplicaSets, podsOf: (set: ReplicaSet) => readonly Pod[]): boolean {
  if (actualReplicas(old) > 0) return true;
  return old.some((set) => podsOf(set).some(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed'));
}
