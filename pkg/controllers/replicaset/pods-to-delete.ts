import type { Pod } from '../../generated/types/core-v1.ts';
import { isActive, isReady, phaseRank, podCondition, restartCount, sidecarRestartCount } from '../owned/pod-state.ts';

/** How much it costs to delete a pod, in comparison with others of its set (KEP-2255). */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const INT32 = 2 ** 31;
const NANOSECONDS_IN_MS = 1e6;

/** A pod that may be deleted, and how many pods of the same workload are on its node. */
interface Candidate {
  readonly pod: Pod;
  readonly rank: number;
}

/** Negative: the first one is deleted before the second. */
type Order = (a: Candidate, b: Candidate) => number;

/**
 * The pods to delete of a set that has too many: those without a node first, then by phase, readiness, cost, number of
 * related pods on the node, time of readiness, restarts, age. Times count by powers of two of nanoseconds: of two pods
 * of about the same age the one goes whose uid comes first, so that not always the same node loses its pods.
 */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  nowMs: number,
): readonly Pod[] {
  if (count >= pods.length) return pods;
  const perNode = new Map<string, number>();
  for (const { spec } of related.filter(isActive))
    if (spec.nodeName) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
  const orders = ordersAt(nowMs);
  const compare: Order = (a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  return pods
    .map((pod): Candidate => ({ pod, rank: perNode.get(pod.spec.nodeName ?? '') ?? 0 }))
    .sort(compare)
    .slice(0, count)
    .map(({ pod }) => pod);
}

function ordersAt(nowMs: number): readonly Order[] {
  return [
    lower(({ pod }) => (pod.spec.nodeName ? 1 : 0)),
    lower(({ pod }) => phaseRank(pod)),
    lower(({ pod }) => (isReady(pod) ? 1 : 0)),
    lower(({ pod }) => costOf(pod)),
    lower(({ rank }) => -rank),
    (a, b) => (isReady(a.pod) && isReady(b.pod) ? byAge(a, b, readySince, nowMs) : 0),
    lower(({ pod }) => -restartCount(pod)),
    lower(({ pod }) => -sidecarRestartCount(pod)),
    (a, b) => byAge(a, b, createdAt, nowMs),
    byUid,
  ];
}

function lower(value: (candidate: Candidate) => number): Order {
  return (a, b) => value(a) - value(b);
}

/** Those without a time first, then the younger ones. */
function byAge(a: Candidate, b: Candidate, timeOf: (pod: Pod) => number, nowMs: number): number {
  const [first, second] = [timeOf(a.pod), timeOf(b.pod)];
  if (Object.is(first, second)) return 0;
  if (Number.isNaN(first)) return -1;
  if (Number.isNaN(second)) return 1;
  return ageBucket(nowMs - first) - ageBucket(nowMs - second) || byUid(a, b);
}

function ageBucket(ageMs: number): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * NANOSECONDS_IN_MS)) : -1;
}

function byUid({ pod: a }: Candidate, { pod: b }: Candidate): number {
  return a.metadata.uid! < b.metadata.uid! ? -1 : 1;
}

function readySince(pod: Pod): number {
  return Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '');
}

function createdAt({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** 0 where the annotation is no 32-bit integer; a plus sign or zeros before the first digit are none. */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? '';
  if (!/^(0|[1-9]\d*|-\d+)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -INT32 && cost < INT32 ? cost : 0;
}
