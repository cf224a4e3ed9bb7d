import type { Pod } from '../../generated/types/core-v1.ts';
import type { Condition } from '../../generated/types/meta-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import { isReady } from '../owned/pod-state.ts';

/** A pod whose eviction was allowed is expected to be deleted within this time. */
const DELETION_MS = 2 * 60_000;
const TYPE = 'DisruptionAllowed';

type Status = PodDisruptionBudget['status'];

export interface Disrupted {
  readonly pods: Record<string, string>;
  /** Pods that were to be deleted by now, and are still there. */
  readonly overdue: readonly Pod[];
  /** Milliseconds until the next of them is overdue. */
  readonly nextMs: number | undefined;
}

/** The pods whose eviction was allowed, and that are not being deleted yet. */
export function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], nowMs: number): Disrupted {
  const disrupted: Record<string, string> = {};
  const overdue: Pod[] = [];
  let nextMs: number | undefined;
  for (const pod of pods) {
    const time = status.disruptedPods?.[pod.metadata.name!];
    if (time === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const leftMs = Date.parse(time) + DELETION_MS - nowMs;
    if (leftMs <= 0) {
      overdue.push(pod);
      continue;
    }
    disrupted[pod.metadata.name!] = time;
    nextMs = Math.min(nextMs ?? leftMs, leftMs);
  }
  return { pods: disrupted, overdue, nextMs };
}

export function countHealthy(pods: readonly Pod[], disrupted: Readonly<Record<string, string>>): number {
  const counts = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disrupted, pod.metadata.name!) && isReady(pod);
  return pods.filter(counts).length;
}

export interface Counts {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptedPods: Record<string, string>;
}

/** `now`: RFC 3339. */
export function newStatus({ metadata, status }: PodDisruptionBudget, counts: Counts, now: string): Status {
  const { expectedPods, desiredHealthy, currentHealthy } = counts;
  const allowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = metadata.generation ?? 0;
  return {
    observedGeneration,
    ...(Object.keys(counts.disruptedPods).length === 0 ? {} : { disruptedPods: counts.disruptedPods }),
    disruptionsAllowed: allowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withCondition(
      status.conditions ?? [],
      {
        type: TYPE,
        observedGeneration,
        status: allowed > 0 ? 'True' : 'False',
        reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        message: '',
      },
      now,
    ),
  };
}

/**
 * What a budget says whose counts cannot be found: nothing may be disrupted. Its specification counts as observed only
 * as far as it was before.
 */
export function failedStatus({ status }: PodDisruptionBudget, message: string, now: string): Status {
  const { observedGeneration = 0 } = status;
  const condition = {
    type: TYPE,
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
    status: 'False',
    reason: 'SyncFailed',
    message,
  };
  return {
    ...status,
    disruptionsAllowed: 0,
    conditions: withCondition(status.conditions ?? [], condition, now),
  };
}

function withCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old !== undefined && old.status === condition.status ? old.lastTransitionTime : now;
  const made = { ...condition, lastTransitionTime };
  return old === undefined ? [...conditions, made] : conditions.map((other) => (other === old ? made : other));
}
