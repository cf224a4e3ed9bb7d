import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { EphemeralContainer, Pod, SeccompProfile, PodStatus } from '../../../generated/types/core-v1.ts';
import { SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from '../pod-spec/annotations.ts';
import { mergeLabelKeys } from '../pod-spec/label-keys.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { qosClass } from './qos-class.ts';
import { takeResources } from './resize.ts';

const DEFAULT_GRACE_SECONDS = 30;

export function preparePodForCreate(pod: Pod, { now }: StrategyContext): void {
  pod.status = { phase: 'Pending', qosClass: qosClass(pod.spec) };
  if (pod.spec.schedulingGates?.length) {
    pod.status.conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: now,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ];
  }
  mergeLabelKeys(pod.spec, pod.metadata.labels);
  takeSeccompFromAnnotations(pod);
}

/** Old clients set seccomp profiles through annotations; nodes read the fields only. */
function takeSeccompFromAnnotations({ metadata, spec }: Pod): void {
  if (metadata.annotations === undefined) return;
  const ofPod = seccompProfile(getKey<string>(metadata.annotations, SECCOMP_POD));
  if (ofPod !== undefined) (spec.securityContext ??= {}).seccompProfile ??= ofPod;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const profile = seccompProfile(getKey<string>(metadata.annotations, SECCOMP_CONTAINER_PREFIX + container.name));
    if (profile !== undefined) (container.securityContext ??= {}).seccompProfile ??= profile;
  }
}

/** `runtime/default`, `unconfined` or `localhost/<path>`; anything else sets nothing. */
function seccompProfile(annotation: string | undefined): SeccompProfile | undefined {
  switch (annotation) {
    case undefined:
      return undefined;
    case 'unconfined':
      return { type: 'Unconfined' };
    case 'runtime/default':
    case 'docker/default':
      return { type: 'RuntimeDefault' };
    default:
      return annotation.startsWith('localhost/') && annotation.length > 'localhost/'.length
        ? { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) }
        : undefined;
  }
}

/** Owners are kept: old nodes send a garbled copy of them. So is the time of deletion. */
export function preparePodStatus(pod: Pod, old: Pod): void {
  if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
  else pod.metadata.ownerReferences = old.metadata.ownerReferences;
  if (old.metadata.deletionTimestamp === undefined) delete pod.metadata.deletionTimestamp;
  if (!pod.status.qosClass) pod.status.qosClass = old.status.qosClass;
  keepObservedGenerations(pod.status, old.status);
}

/** Of the change only the debugging containers are taken. */
export function prepareEphemeralContainers(pod: Pod, old: Pod): void {
  const containers: EphemeralContainer[] | undefined = pod.spec.ephemeralContainers;
  restore(pod, old);
  if (containers === undefined) delete pod.spec.ephemeralContainers;
  else pod.spec.ephemeralContainers = containers;
}

export function prepareResize(pod: Pod, old: Pod): void {
  takeResources(pod, old, restore);
}

/** Makes `pod` a copy of `old` in everything except what identifies the change. */
function restore(pod: Pod, old: Pod): void {
  const { resourceVersion, uid, managedFields } = pod.metadata;
  pod.metadata = { ...old.metadata, resourceVersion, uid };
  if (managedFields !== undefined) pod.metadata.managedFields = managedFields;
  pod.spec = { ...old.spec };
  pod.status = old.status;
}

/** The requested time, or the pod's own. A pod without a node, or that has ended, needs none. */
export function podGracePeriodSeconds(pod: Pod, asked?: number): number {
  const { phase } = pod.status;
  if (!pod.spec.nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = asked ?? pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  return seconds < 0 ? 1 : seconds;
}

/**
 * Writers without observed generations leave them unchanged, in the status and in each condition; one type may occur
 * several times.
 */
function keepObservedGenerations(status: PodStatus, old: PodStatus): void {
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration;
  const known = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of old.conditions ?? []) {
    const generations = known.get(type);
    if (generations === undefined) known.set(type, [observedGeneration]);
    else generations.push(observedGeneration);
  }
  const taken = new Map<string, number>();
  for (const condition of status.conditions ?? []) {
    const i = taken.get(condition.type) ?? 0;
    taken.set(condition.type, i + 1);
    const before = known.get(condition.type)?.[i] ?? 0;
    if (!condition.observedGeneration && before !== 0) condition.observedGeneration = before;
  }
}
