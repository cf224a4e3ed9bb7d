import type { Pod } from '../../generated/types/core-v1.ts';
import { podCondition } from '../owned/pod-state.ts';
import type { PodMetrics } from './metric-clients.ts';

export interface ReadinessDelays {
  /** CPU samples of pods younger than this are used only when the pod is ready. */
  readonly cpuInitializationMs: number;
  /** A pod that was not ready so soon after its start has never been. */
  readonly initialReadinessMs: number;
}

export interface PodGroups {
  readonly readyCount: number;
  readonly unready: ReadonlySet<string>;
  /** Those without a metric. */
  readonly missing: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** Which pods count, and how. Only samples of CPU depend on readiness: a pod that starts uses more of it. */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  resource: string | undefined,
  delays: ReadinessDelays,
  nowMs: number,
): PodGroups {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let readyCount = 0;
  for (const pod of pods) {
    const name = pod.metadata.name!;
    const metric = metrics.get(name);
    if (pod.metadata.deletionTimestamp !== undefined || pod.status.phase === 'Failed') ignored.add(name);
    else if (pod.status.phase === 'Pending') unready.add(name);
    else if (metric === undefined) missing.add(name);
    else if (resource === 'cpu' && isUnready(pod, metric, delays, nowMs)) unready.add(name);
    else readyCount++;
  }
  return { readyCount, unready, missing, ignored };
}

function isUnready(
  pod: Pod,
  { timestampMs, windowMs }: { readonly timestampMs: number; readonly windowMs: number },
  { cpuInitializationMs, initialReadinessMs }: ReadinessDelays,
  nowMs: number,
): boolean {
  const ready = podCondition(pod, 'Ready');
  const startMs = Date.parse(pod.status.startTime ?? '');
  if (ready === undefined || Number.isNaN(startMs)) return true;
  const changedMs = Date.parse(ready.lastTransitionTime ?? '') || 0;
  if (startMs + cpuInitializationMs > nowMs) return ready.status === 'False' || timestampMs < changedMs + windowMs;
  return ready.status === 'False' && startMs + initialReadinessMs > changedMs;
}
