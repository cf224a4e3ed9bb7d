import type { Pod } from '../../generated/types/core-v1.ts';
import { withoutZeros } from '../owned/without-zeros.ts';
import { isAvailable, isReady } from '../owned/pod-state.ts';
import type { ReplicaCondition, ReplicaSpec, ReplicaStatus } from './replica-owner.ts';

export interface StatusInputs {
  readonly spec: ReplicaSpec;
  readonly known: ReplicaStatus;
  readonly generation: number;
  readonly active: readonly Pod[];
  /** Absent: not counted. */
  readonly terminating?: readonly Pod[];
  /** What creating or deleting pods failed with. */
  readonly failure: unknown;
  readonly nowMs: number;
  /** RFC 3339. */
  readonly now: string;
}

/** The status that says what there is. */
export function newStatus(inputs: StatusInputs): ReplicaStatus {
  const { spec, known, active, terminating, nowMs } = inputs;
  const wanted = Object.entries(spec.template.metadata?.labels ?? {});
  const count = (holds: (pod: Pod) => boolean): number => active.filter(holds).length;
  const { conditions: _, ...rest } = known;
  const conditions = conditionsOf(inputs);
  const status: ReplicaStatus = {
    ...rest,
    replicas: active.length,
    fullyLabeledReplicas: count(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value)),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, spec.minReadySeconds, nowMs)),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
    observedGeneration: inputs.generation,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return withoutZeros(status, ['replicas', 'terminatingReplicas']);
}

function conditionsOf({ known, failure, spec, active, now }: StatusInputs): readonly ReplicaCondition[] {
  const conditions = known.conditions ?? [];
  const failed = conditions.find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return conditions.filter((condition) => condition !== failed);
  if (failed !== undefined) return conditions;
  const reason = active.length < spec.replicas ? 'FailedCreate' : 'FailedDelete';
  const message = failure instanceof Error ? failure.message : String(failure);
  return [...conditions, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: now, reason, message }];
}
