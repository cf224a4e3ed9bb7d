import type { Pod, PodCondition } from '../generated/types/core-v1.ts';

/** What the conditions of a pod say. */
export interface PodState {
  readonly pod: Pod;
  readonly phase: string;
  /** Names of init containers that have not done their work. */
  readonly incomplete: readonly string[];
  /** Names of containers that are not ready, sidecars first. */
  readonly unready: readonly string[];
  /** What the status says by now. */
  readonly known: readonly PodCondition[];
  /** RFC 3339. */
  readonly now: string;
}

interface Wanted {
  readonly type: string;
  readonly holds: boolean;
  readonly words?: { readonly reason: string; readonly message?: string };
}

/** The conditions of a pod in the order in which agents write them; those of other programs stay. */
export function podConditions(state: PodState): PodCondition[] {
  const { pod, known, now } = state;
  const { generation } = pod.metadata;
  const own = wantedConditions(state).map(({ type, holds, words }): PodCondition => {
    const status = holds ? 'True' : 'False';
    const before = known.find((condition) => condition.type === type);
    return {
      type,
      status,
      lastProbeTime: null,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
      ...words,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  });
  const others = known.filter(({ type }) => !own.some((condition) => condition.type === type));
  const isScheduled = ({ type }: PodCondition): boolean => type === 'PodScheduled';
  return [...own, ...others.filter(isScheduled), ...others.filter((condition) => !isScheduled(condition))];
}

function wantedConditions({ pod, phase, incomplete, unready, known }: PodState): readonly Wanted[] {
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const ended = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const containers =
    unready.length === 0
      ? undefined
      : isOver
        ? { reason: ended }
        : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const gates = closedGates(pod, known);
  const ready =
    containers ?? (gates.length === 0 ? undefined : { reason: 'ReadinessGatesNotReady', message: gates.join(', ') });
  const isInitialized = incomplete.length === 0 || phase === 'Succeeded';
  const initialized =
    phase === 'Succeeded'
      ? { reason: ended }
      : isInitialized
        ? undefined
        : {
            reason: 'ContainersNotInitialized',
            message: `containers with incomplete status: [${incomplete.join(' ')}]`,
          };
  return [
    { type: 'PodReadyToStartContainers', holds: !isOver },
    { type: 'Initialized', holds: isInitialized, ...(initialized && { words: initialized }) },
    { type: 'Ready', holds: ready === undefined, ...(ready && { words: ready }) },
    { type: 'ContainersReady', holds: containers === undefined, ...(containers && { words: containers }) },
  ];
}

/** What is said of readiness gates that are not open. */
function closedGates({ spec }: Pod, known: readonly PodCondition[]): readonly string[] {
  return (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = JSON.stringify(conditionType);
    const condition = known.find(({ type }) => type === conditionType);
    if (condition === undefined) return [`corresponding condition of pod readiness gate ${gate} does not exist.`];
    return condition.status === 'True'
      ? []
      : [`the status of pod readiness gate ${gate} is not "True", but ${condition.status}`];
  });
}
