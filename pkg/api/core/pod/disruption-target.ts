import type { Pod, PodCondition } from '../../../generated/types/core-v1.ts';

const TYPE = 'DisruptionTarget';

/** Why a pod is deleted, as its condition says. */
export interface DisruptionReason {
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a pod with that of its disruption (KEP-3329), which keeps the time since when it is so. */
export function withDisruptionTarget({ metadata, status }: Pod, why: DisruptionReason, now: string): PodCondition[] {
  const known = status.conditions ?? [];
  const before = known.find(({ type }) => type === TYPE);
  const target: PodCondition = {
    type: TYPE,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : now,
    ...why,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  return before === undefined ? [...known, target] : known.map((one) => (one === before ? target : one));
}
