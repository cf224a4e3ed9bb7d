import type { Pod, PodCondition } from '../../generated/types/core-v1.ts';

/** Its containers have ended for good. */
export function hasEnded({ status }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

/** Not ended, and not being deleted. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted, and not ended. */
export function isTerminating(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function podCondition({ status }: Pod, type: string): PodCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** How far a pod has got by its phase, the first to be deleted lowest. */
export function phaseRank({ status }: Pod): number {
  return { Pending: 0, Unknown: 1, Running: 2 }[status.phase ?? ''] ?? 0;
}

/** Ready for `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return false;
  const sinceMs = Date.parse(ready.lastTransitionTime ?? '');
  return minReadySeconds === 0 || (!Number.isNaN(sinceMs) && sinceMs + minReadySeconds * 1000 <= nowMs);
}

/** Milliseconds until a pod that is ready becomes available; undefined: it is, or it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True' || minReadySeconds === 0) return undefined;
  const leftMs = Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}

/** Largest number of restarts of any container that is no init container. */
export function restartCount({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map((container) => container.restartCount));
}

/** Largest number of restarts of any sidecar (KEP-753). */
export function sidecarRestartCount({ spec, status }: Pod): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const names = new Set(sidecars.map(({ name }) => name));
  const statuses = (status.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
  return Math.max(0, ...statuses.map((container) => container.restartCount));
}
