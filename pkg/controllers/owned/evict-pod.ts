import { type DisruptionReason, withDisruptionTarget } from '../../api/core/pod/disruption-target.ts';
import { pods } from '../../api/core/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { retryOnConflict } from '../../client/reconcile/retry-on-conflict.ts';
import type { Client } from '../../client/rest/client.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { podCondition } from './pod-state.ts';

/** Deletes a pod, after its status says why. One that is gone, or was replaced, is no failure. */
export async function evictPod(client: Client, pod: Pod, why: DisruptionReason, now: string): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const key = { namespace, name: name! };
  try {
    await retryOnConflict(async () => {
      const current = await client.get(pods, key);
      if (current.metadata.uid !== uid || saysSo(current, why)) return;
      const status = { conditions: withDisruptionTarget(current, why, now) };
      const patch = { metadata: { uid, resourceVersion: current.metadata.resourceVersion }, status };
      await client.patch(pods, key, 'merge', patch, { subresource: 'status' });
    });
    await client.delete(pods, key, { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function saysSo(pod: Pod, why: DisruptionReason): boolean {
  const known = podCondition(pod, 'DisruptionTarget');
  return known?.status === 'True' && known.reason === why.reason;
}
