import { isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { slowStart } from '../../client/reconcile/slow-start.ts';

/** Pods that one reconcile creates or deletes at most. */
const BURST = 500;

export interface ReplicaSteps {
  readonly createPod: () => Promise<void>;
  readonly deletePod: (pod: Pod) => Promise<void>;
  /** Which pods to delete of those that are there. */
  readonly choose: (pods: readonly Pod[], count: number) => readonly Pod[];
}

/** Creates or deletes pods until there are as many as wanted. Gives the first failure; the rest is still done. */
export async function manageReplicas(pods: readonly Pod[], wanted: number, steps: ReplicaSteps): Promise<unknown> {
  const missing = wanted - pods.length;
  if (missing > 0) {
    const { error } = await slowStart(Math.min(missing, BURST), async () => {
      try {
        await steps.createPod();
      } catch (failure) {
        // Nothing can be created there any more; what is there is deleted.
        if (!isNamespaceTerminating(failure)) throw failure;
      }
    });
    return error;
  }
  if (missing === 0) return undefined;
  const doomed = steps.choose(pods, Math.min(-missing, BURST));
  const results = await Promise.allSettled(doomed.map((pod) => steps.deletePod(pod)));
  return results.find((result) => result.status === 'rejected')?.reason;
}
