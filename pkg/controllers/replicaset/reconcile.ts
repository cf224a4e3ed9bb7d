import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { availableInMs } from '../owned/pod-state.ts';
import { manageReplicas, type ReplicaSteps } from './manage-replicas.ts';
import { newStatus } from './new-status.ts';
import type { ReplicaOwner } from './replica-owner.ts';

export interface SetSteps<T extends ApiObject> extends ReplicaSteps {
  /** Active pods that belong to the set, after adopting and releasing. */
  readonly claimActive: (object: T) => Promise<readonly Pod[]>;
  /** Pods of the set that are being deleted. */
  readonly terminating: () => readonly Pod[];
  readonly writeStatus: (object: T) => Promise<unknown>;
  readonly nowMs: () => number;
  /** RFC 3339. */
  readonly now: () => string;
}

/** One set: brings the number of its pods to what is wanted, and says in its status what there is. */
export async function reconcile<T extends ApiObject>(
  object: T,
  owner: ReplicaOwner<T>,
  steps: SetSteps<T>,
): Promise<number | undefined> {
  const spec = owner.specOf(object);
  const active = await steps.claimActive(object);
  const terminating = owner.countsTerminating ? { terminating: steps.terminating() } : {};
  const failure =
    object.metadata.deletionTimestamp === undefined ? await manageReplicas(active, spec.replicas, steps) : undefined;
  const known = owner.statusOf(object);
  const status = newStatus({
    spec,
    known,
    generation: object.metadata.generation ?? 0,
    active,
    ...terminating,
    failure,
    nowMs: steps.nowMs(),
    now: steps.now(),
  });
  if (!deepEqual(status, known)) await steps.writeStatus(owner.withStatus(object, status));
  if (failure !== undefined) throw failure;
  return nextAvailable(active, spec.minReadySeconds, steps.nowMs());
}

/** Milliseconds until the first pod becomes available. */
function nextAvailable(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  const times = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, nowMs) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
