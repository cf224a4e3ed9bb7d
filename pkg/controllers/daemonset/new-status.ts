import type { DaemonSet, DaemonSetStatus } from '../../generated/types/apps-v1.ts';
import { isAvailable, isReady } from '../owned/pod-state.ts';
import { withoutZeros } from '../owned/without-zeros.ts';
import { isUpdated } from './daemon-pod.ts';
import type { PodsByNode } from './node-pods.ts';

const SHOWN = ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'] as const;

/** The status that says what there is: the oldest pod of a node counts. */
export function newStatus(set: DaemonSet, { nodes }: PodsByNode, hash: string, nowMs: number): DaemonSetStatus {
  const wanted = nodes.filter(({ wish }) => wish.run);
  const first = wanted.flatMap(({ pods }) => pods[0] ?? []);
  const ready = first.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs));
  const status: DaemonSetStatus = {
    ...set.status,
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter(({ wish, pods }) => !wish.run && pods.length > 0).length,
    numberReady: ready.length,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: first.filter((pod) => isUpdated(pod, set, hash)).length,
    numberAvailable: available.length,
    numberUnavailable: wanted.length - available.length,
  };
  return withoutZeros(status, [...SHOWN, 'collisionCount']);
}
