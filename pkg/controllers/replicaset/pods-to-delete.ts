import type { Pod } from '../../generated/types/core-v1.ts';
import { isReady, podCondition, restartCount } from '../owned/pod-state.ts';

/** How much it costs to delete a pod, in comparison with others of its set (KEP-2255). */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const INT32 = 2 ** 31;

/** A pod that may be deleted, and how many pods of the same workload are on its node. */
interface Candidate {
  readonly pod: Pod;
  readonly rank: number;
}

/**
 * The pods to delete of a set that has too many: those without a node first, then by phase, readiness, cost, company on
 * the node, time of readiness, restarts, age.
 */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  nowMs: number,
): readonly Pod[] {
  if (count >= pods.length) return pods;
  const perNode = new Map<string, number>();
  for (const { spec } of related) if (spec.nodeName) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
  return pods
    .map((pod): Candidate => ({ pod, rank: perNode.get(pod.spec.nodeName ?? '') ?? 0 }))
    .sort((a, b) => compare(a, b, nowMs))
    .slice(0, count)
    .map(({ pod }) => pod);
}

function compare(a: Candidate, b: Candidate, nowMs: number): number {
  const number = (is: boolean): number => (is ? 1 : 0);
  const by = <T>(value: (one: Candidate) => T, order: (x: T, y: T) => number): number => order(value(a), value(b));
  const ascending = (x: number, y: number): number => x - y;
  const differences = [
    by(({ pod }) => number(Boolean(pod.spec.nodeName)), ascending),
    by(({ pod }) => ({ Pending: 0, Unknown: 1, Running: 2 })[pod.status.phase ?? ''] ?? 0, ascending),
    by(({ pod }) => number(isReady(pod)), ascending),
    by(({ pod }) => costOf(pod), ascending),
    by(
      ({ rank }) => rank,
      (x, y) => y - x,
    ),
    isReady(a.pod) && isReady(b.pod) ? by(({ pod }) => ageBucket(readySince(pod), nowMs), ascending) : 0,
    by(
      ({ pod }) => restartCount(pod),
      (x, y) => y - x,
    ),
    by(({ pod }) => ageBucket(Date.parse(pod.metadata.creationTimestamp ?? ''), nowMs), ascending),
    by(
      ({ pod }) => pod.metadata.uid!,
      (x, y) => (x < y ? -1 : x > y ? 1 : 0),
    ),
  ];
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** By powers of two: pods of about the same age are equal, so that not always the same node loses its pods. */
function ageBucket(sinceMs: number, nowMs: number): number {
  if (Number.isNaN(sinceMs)) return -1;
  return Math.floor(Math.log2(Math.max(1, nowMs - sinceMs)));
}

function readySince(pod: Pod): number {
  return Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '');
}

/** 0 where the annotation is no 32-bit integer in its plain form. */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? '';
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -INT32 && cost < INT32 ? cost : 0;
}
