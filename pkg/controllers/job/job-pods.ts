import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { podCondition } from '../owned/pod-state.ts';

/** Keeps a pod until its job has counted it (KEP-2307). */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Annotation and label of pods of indexed jobs. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

/** Pods that are being deleted are replaced only when they have ended (KEP-3939). */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed';
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Undefined: no index that the job has. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX] ?? '';
  return /^\d{1,10}$/.test(text) && Number(text) < (spec.completions ?? 0) ? Number(text) : undefined;
}

export function isSucceeded({ status }: Pod): boolean {
  return status.phase === 'Succeeded';
}

/** A deleted pod may never reach a phase: it counts as failed, where its replacement need not wait for that. */
export function isFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status.phase === 'Failed') return true;
  return !replacesOnlyFailed(job) && metadata.deletionTimestamp !== undefined && status.phase !== 'Succeeded';
}

/** When the pod ended, as well as its status says. */
export function finishedAtMs(pod: Pod): number {
  const { metadata } = pod;
  const ready = podCondition(pod, 'Ready');
  const deleted = Date.parse(metadata.deletionTimestamp ?? '') - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const times = [
    containersFinishedAtMs(pod),
    ready?.status === 'False' ? Date.parse(ready.lastTransitionTime ?? '') : NaN,
    deleted,
    Date.parse(metadata.creationTimestamp ?? ''),
  ];
  return times.find((time) => !Number.isNaN(time)) ?? 0;
}

/** NaN: some have not ended, or do not say when. */
function containersFinishedAtMs({ status }: Pod): number {
  const times = (status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  return times.length === 0 ? NaN : Math.max(...times);
}
