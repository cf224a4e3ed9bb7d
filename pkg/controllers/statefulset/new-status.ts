import type { StatefulSet, StatefulSetStatus } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isAvailable } from '../owned/pod-state.ts';
import { withoutZeros } from '../owned/without-zeros.ts';
import { replicasOf, revisionOf } from './identity.ts';
import { isCreated, isDeleting, isRunningAndReady } from './pod-state.ts';
import type { SetRevisions } from './set-revisions.ts';

/** The status that says what there is. `pods`: those of the set and those that it has too many. */
export function newStatus(
  set: StatefulSet,
  revisions: SetRevisions,
  pods: readonly Pod[],
  nowMs: number,
): StatefulSetStatus {
  const { current, update, collisionCount } = revisions;
  const created = pods.filter(isCreated);
  const ready = created.filter(isRunningAndReady);
  const staying = created.filter((pod) => !isDeleting(pod));
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs));
  const of = (name: string | undefined): number => staying.filter((pod) => revisionOf(pod) === name).length;
  const { conditions } = set.status;
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation,
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    currentReplicas: of(current.metadata.name),
    updatedReplicas: of(update.metadata.name),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    ...(conditions === undefined ? {} : { conditions }),
  };
  return withoutZeros(completed(set, status), ['replicas', 'availableReplicas', 'collisionCount']);
}

/** A rollout that has reached every pod makes its revision the current one. */
function completed(set: StatefulSet, status: StatefulSetStatus): StatefulSetStatus {
  const counts = [status.replicas, status.readyReplicas, status.updatedReplicas];
  const isDone = set.spec.updateStrategy.type === 'RollingUpdate' && counts.every((count) => count === replicasOf(set));
  return isDone
    ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: status.updateRevision }
    : status;
}
