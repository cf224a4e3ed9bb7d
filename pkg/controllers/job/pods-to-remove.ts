import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isReady, phaseRank, podCondition, restartCount } from '../owned/pod-state.ts';
import { indexOf, isIndexed } from './job-pods.ts';

/**
 * The active pods that a job has no use for: all without an index of the job or with that of another pod, and as many
 * more as `count` asks for. Unlike ReplicaSets, jobs do not read the annotation of deletion costs.
 */
export function podsToRemove(job: Job, active: readonly Pod[], count: number): readonly Pod[] {
  if (!isIndexed(job)) return active.toSorted(byUse).slice(0, count);
  const [kept, removed]: [Pod[], Pod[]] = [[], []];
  for (const [index, same] of byIndex(job, active)) {
    const last = index === undefined ? same.length : same.length - 1;
    removed.push(...same.slice(0, last));
    kept.push(...same.slice(last));
  }
  const more = Math.max(0, count - removed.length);
  return [...removed, ...kept.sort(byUse).slice(0, more)];
}

/** Pods of each index in ascending order, those of most use last. */
function byIndex(job: Job, active: readonly Pod[]): [number | undefined, Pod[]][] {
  const groups = new Map<number | undefined, Pod[]>();
  for (const pod of active) {
    const index = indexOf(pod, job);
    const same = groups.get(index);
    if (same === undefined) groups.set(index, [pod]);
    else same.push(pod);
  }
  for (const same of groups.values()) same.sort(byUse);
  return [...groups].sort(([a = -1], [b = -1]) => a - b);
}

/** What has got less far comes first: without a node, by phase, not ready, ready later, more restarts, younger. */
function byUse(a: Pod, b: Pod): number {
  const areReady = isReady(a) && isReady(b);
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (areReady ? laterFirst(readySince(a), readySince(b)) : 0) ||
    restartCount(b) - restartCount(a) ||
    laterFirst(a.metadata.creationTimestamp, b.metadata.creationTimestamp)
  );
}

function readySince(pod: Pod): string | null | undefined {
  return podCondition(pod, 'Ready')?.lastTransitionTime;
}

/** A time that is not known comes before all others. */
function laterFirst(a: string | null | undefined, b: string | null | undefined): number {
  const [x, y] = [Date.parse(a ?? ''), Date.parse(b ?? '')].map((time) => (Number.isNaN(time) ? Infinity : time));
  return x === y ? 0 : y! - x!;
}
