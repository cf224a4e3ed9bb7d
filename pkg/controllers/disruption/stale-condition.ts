import type { Pod } from '../../generated/types/core-v1.ts';
import { isActive, podCondition } from '../owned/pod-state.ts';

const TYPE = 'DisruptionTarget';
/** The agent of the pod's node stops it, however long that takes. */
const BY_NODE_AGENT = 'TerminationByKubelet';
/** A pod that is still there so long after it was chosen for disruption is not disrupted. */
const STALE_MS = 2 * 60_000;

/** Milliseconds until the condition is stale, 0 when it is; undefined: the pod has none that can become stale. */
export function staleInMs(pod: Pod, nowMs: number): number | undefined {
  if (!isActive(pod)) return undefined;
  const condition = podCondition(pod, TYPE);
  if (condition?.status !== 'True' || condition.reason === BY_NODE_AGENT) return undefined;
  const sinceMs = Date.parse(condition.lastTransitionTime ?? '');
  return Number.isNaN(sinceMs) ? 0 : Math.max(0, sinceMs + STALE_MS - nowMs);
}

/** A strategic patch of the status that takes the condition back. */
export function takenBack({ metadata }: Pod, now: string): object {
  const observedGeneration = metadata.generation ?? null;
  const words = { reason: null, message: null };
  const condition = { type: TYPE, status: 'False', observedGeneration, lastTransitionTime: now, ...words };
  return { metadata: { uid: metadata.uid }, status: { conditions: [condition] } };
}
