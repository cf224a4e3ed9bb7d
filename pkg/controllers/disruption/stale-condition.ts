import type { Pod } from '../../generated/types/core-v1.ts';
import { podCondition } from '../owned/pod-state.ts';

const TYPE = 'DisruptionTarget';
/** A pod that is still there so long after it was chosen for disruption is not disrupted. */
const STALE_MS = 2 * 60_000;

/** Milliseconds until the condition is stale, 0 when it is; undefined: the pod has none that can become stale. */
export function staleInMs(pod: Pod, nowMs: number): number | undefined {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined || status.phase === 'Succeeded' || status.phase === 'Failed')
    return undefined;
  const condition = podCondition(pod, TYPE);
  if (condition?.status !== 'True') return undefined;
  const sinceMs = Date.parse(condition.lastTransitionTime ?? '');
  return Number.isNaN(sinceMs) ? 0 : Math.max(0, sinceMs + STALE_MS - nowMs);
}

/** A strategic patch of the status that takes the condition back. */
export function takenBack({ metadata }: Pod, now: string): object {
  const condition = { type: TYPE, status: 'False', lastTransitionTime: now, reason: null, message: null };
  return { metadata: { uid: metadata.uid }, status: { conditions: [condition] } };
}
