import { slowStart } from '../../client/reconcile/slow-start.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { hasStorage } from './claims.ts';
import { hasIdentity } from './identity.ts';
import { isCreated, isDeleting, isEnded, isServing } from './pod-state.ts';
import { podsToUpdate } from './pods-to-update.ts';
import type { SetRevisions } from './set-revisions.ts';
import {
  bringClaims,
  createPod,
  hasClaimOwners,
  hasStaleClaim,
  updateClaimOwners,
  updatePod,
} from './stateful-pods.ts';
import type { StatefulSetSteps } from './steps.ts';

export interface SetPods {
  /** In the order of their ordinals; those without a uid are to be created. */
  readonly replicas: readonly Pod[];
  /** Those that the set has no place for, highest ordinal first. */
  readonly condemned: readonly Pod[];
}

/**
 * Creates pods, then deletes those that are too many, then those of older revisions. In order: each step waits until
 * all pods before it serve. Gives the pods that it deleted for an update.
 */
export async function manageReplicas(
  set: StatefulSet,
  updateSet: StatefulSet,
  { update }: SetRevisions,
  { replicas, condemned }: SetPods,
  steps: StatefulSetSteps,
): Promise<readonly Pod[]> {
  const inOrder = set.spec.podManagementPolicy !== 'Parallel';
  const isUp = (pod: Pod): boolean => isServing(pod, set.spec.minReadySeconds ?? 0, steps.nowMs());
  const firstDown = [...replicas, ...condemned.toReversed()].find((pod) => !isUp(pod));
  if (await forEach(replicas, inOrder, (pod) => processReplica(updateSet, pod, inOrder && !isUp(pod), inOrder, steps)))
    return [];
  await forEach(condemned, inOrder, async (pod) => {
    if (!hasClaimOwners(set, pod, steps)) await updateClaimOwners(set, pod, steps);
    return false;
  });
  const waits = await forEach(condemned, inOrder, async (pod) => {
    if (isDeleting(pod)) return inOrder;
    if (inOrder && !isUp(pod) && pod !== firstDown) return true;
    await steps.deletePod(pod);
    return true;
  });
  if (waits) return [];
  const old = podsToUpdate(set, replicas, update.metadata.name!, steps.nowMs());
  for (const pod of old) await steps.deletePod(pod);
  return old;
}

/** Whether the set waits for this pod. */
async function processReplica(
  updateSet: StatefulSet,
  pod: Pod,
  isDown: boolean,
  inOrder: boolean,
  steps: StatefulSetSteps,
): Promise<boolean> {
  if (isEnded(pod)) {
    if (!isDeleting(pod)) await steps.deletePod(pod);
    return true;
  }
  if (!isCreated(pod)) {
    if (hasStaleClaim(updateSet, pod, steps)) return true;
    await createPod(updateSet, pod, steps);
    return inOrder;
  }
  if (pod.status.phase === 'Pending' && !isDeleting(pod)) await bringClaims(updateSet, pod, steps);
  if (isDown) return true;
  const isRight = hasIdentity(pod) && hasStorage(updateSet, pod) && hasClaimOwners(updateSet, pod, steps);
  if (!isRight) await updatePod(updateSet, pod, steps);
  return false;
}

/** One after the other until one asks to wait; or all, and then nothing waits. */
async function forEach(pods: readonly Pod[], inOrder: boolean, step: (pod: Pod) => Promise<boolean>): Promise<boolean> {
  if (inOrder) {
    for (const pod of pods) if (await step(pod)) return true;
    return false;
  }
  const { error } = await slowStart(pods.length, (i) => step(pods[i]!));
  if (error !== undefined) throw error;
  return false;
}
