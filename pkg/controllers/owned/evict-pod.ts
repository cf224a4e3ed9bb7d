import { pods } from '../../api/core/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { retryOnConflict } from '../../client/reconcile/retry-on-conflict.ts';
import type { Client } from '../../client/rest/client.ts';
import type { Pod, PodCondition } from '../../generated/types/core-v1.ts';

/** Why a pod is deleted, as its condition says. */
export interface EvictionReason {
  readonly reason: string;
  readonly message: string;
}

/** Deletes a pod, after its status says why. One that is gone, or was replaced, is no failure. */
export async function evictPod(client: Client, pod: Pod, why: EvictionReason, now: string): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const key = { namespace, name: name! };
  try {
    await retryOnConflict(async () => {
      const current = await client.get(pods, key);
      const conditions = current.metadata.uid === uid ? withTarget(current, why, now) : undefined;
      if (conditions === undefined) return;
      const patch = { metadata: { uid, resourceVersion: current.metadata.resourceVersion }, status: { conditions } };
      await client.patch(pods, key, 'merge', patch, { subresource: 'status' });
    });
    await client.delete(pods, key, { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Undefined: the status says so already. */
function withTarget({ metadata, status }: Pod, why: EvictionReason, now: string): PodCondition[] | undefined {
  const known = status.conditions ?? [];
  const before = known.find(({ type }) => type === 'DisruptionTarget');
  if (before?.status === 'True' && before.reason === why.reason) return undefined;
  const target: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : now,
    ...why,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  return before === undefined ? [...known, target] : known.map((one) => (one === before ? target : one));
}
