import { isConflict, plainInternal } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import { deleteObject, type DeleteRequest } from '../delete-object.ts';
import { getObject } from '../read-objects.ts';
import type { ResourceStore } from '../resource-store.ts';
import { budgetsOf, stillProcessed, takeDisruption } from './disruption-budget.ts';
import { markEvicted } from './mark-evicted.ts';

/** Attempts against other writers of the pod before the client gets a conflict. */
const ATTEMPTS_MAX = 20;

/** Deletes a pod where its disruption budget allows it. Throws 429 where it does not, 403, 409. */
export async function evictPod(
  pods: ResourceStore<Pod>,
  budgets: ResourceStore<PodDisruptionBudget>,
  request: DeleteRequest,
): Promise<void> {
  const pod = await deleteUnlessGuarded(pods, request);
  if (pod === undefined) return;
  const found = await budgetsOf(budgets, pod);
  if (found.length > 1)
    throw plainInternal(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const budget = found[0];
  if (budget === undefined) {
    await markAndDelete(pods, request);
  } else if (isOutsideOfBudget(pod, budget)) {
    await deleteAsSeen(pods, request, pod, budget);
  } else {
    await takeDisruption(budgets, budget, request.name, request);
    await markAndDelete(pods, request);
  }
}

/**
 * Deletes a pod that disrupts nothing; returns the others. A pod that may have just started is deleted only in the
 * state that was read.
 */
async function deleteUnlessGuarded(pods: ResourceStore<Pod>, request: DeleteRequest): Promise<Pod | undefined> {
  const isPinned = request.options.preconditions?.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const pod = (await getObject(pods, request.namespace, request.name, { kind: 'consistent' })).object();
    const isEnded =
      pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined;
    if (!isEnded && pod.status.phase !== 'Pending') return pod;
    try {
      await markAndDelete(pods, isEnded || isPinned ? request : pinned(request, pod));
      return undefined;
    } catch (error) {
      if (isPinned || !isConflict(error) || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}

/**
 * A pod that is not ready counts as disrupted already, where the others suffice or the budget does not require them.
 */
function isOutsideOfBudget(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true) return false;
  return (
    spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
    (status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0)
  );
}

async function deleteAsSeen(
  pods: ResourceStore<Pod>,
  request: DeleteRequest,
  pod: Pod,
  budget: PodDisruptionBudget,
): Promise<void> {
  const isPinned = request.options.preconditions?.resourceVersion !== undefined;
  try {
    await markAndDelete(pods, pinned(request, pod));
  } catch (error) {
    throw isConflict(error) && !isPinned ? stillProcessed(budget.metadata.name ?? '') : error;
  }
}

/** A deletion that asks for a version of the pod gets the one that has the mark. */
async function markAndDelete(pods: ResourceStore<Pod>, request: DeleteRequest): Promise<void> {
  const marked = await markEvicted(pods, request);
  const isPinned = request.options.preconditions?.resourceVersion !== undefined;
  await deleteObject(pods, isPinned && marked !== undefined ? pinned(request, marked) : request);
}

function pinned(request: DeleteRequest, pod: Pod): DeleteRequest {
  const { options } = request;
  const resourceVersion = pod.metadata.resourceVersion;
  return {
    ...request,
    options: {
      ...options,
      preconditions: { ...options.preconditions, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    },
  };
}
