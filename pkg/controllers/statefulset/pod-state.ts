import type { Pod } from '../../generated/types/core-v1.ts';
import { isAvailable, isReady } from '../owned/pod-state.ts';

/** Not only wanted: the server has it. */
export function isCreated({ metadata }: Pod): boolean {
  return metadata.uid !== undefined;
}

export function isDeleting({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isEnded({ status }: Pod): boolean {
  return status.phase === 'Failed' || status.phase === 'Succeeded';
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status.phase === 'Running' && isReady(pod);
}

/** Running, ready for as long as the set asks, and not being deleted. */
export function isServing(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  return isRunningAndReady(pod) && !isDeleting(pod) && isAvailable(pod, minReadySeconds, nowMs);
}
