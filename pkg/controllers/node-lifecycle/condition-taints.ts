import type { Node, Taint } from '../../generated/types/core-v1.ts';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** The taint that stands for a condition with a status; all others stand for nothing. */
const taintOfCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

const ownKeys = new Set([UNSCHEDULABLE, ...Object.values(taintOfCondition).flatMap((keys) => Object.values(keys))]);

export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** How the taints that keep pods off a node differ from what its conditions and `unschedulable` say. */
export function conditionTaints({ spec, status }: Node): TaintChange {
  const keys = (status.conditions ?? []).flatMap((condition) => {
    const key = taintOfCondition[condition.type]?.[condition.status];
    return key === undefined ? [] : [key];
  });
  if (spec.unschedulable === true) keys.push(UNSCHEDULABLE);
  const own = (spec.taints ?? []).filter(({ key, effect }) => effect === 'NoSchedule' && ownKeys.has(key));
  return {
    add: keys
      .filter((key) => !own.some((taint) => taint.key === key))
      .map((key): Taint => ({ key, effect: 'NoSchedule' })),
    remove: own.filter(({ key }) => !keys.includes(key)),
  };
}

export function hasNoExecuteTaint({ spec }: Node, key: string): boolean {
  return spec.taints?.some((taint) => taint.key === key && taint.effect === 'NoExecute') === true;
}
