import type { LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import { type NodeInfo } from './node-info.ts';
import type { ClusterView, FilterPlugin, PendingPod, Rejection } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { countedReasons, PodFilters, type Diagnosis } from './schedule-pod.ts';

/** Nodes that are tried at least, and the share of all of them, in percent. */
const CANDIDATES_MIN = 100;
const CANDIDATES_PERCENT = 10;

const NOT_HELPFUL: Rejection = { reasons: ['Preemption is not helpful for scheduling'], preemptible: false };
const NO_VICTIMS: Rejection = { reasons: ['No preemption victims found for incoming pod'], preemptible: false };

/** A PodDisruptionBudget as preemption looks at it. */
export interface Budget {
  readonly namespace: string;
  readonly selector: LabelSelector;
  /** Pods that may be deleted. */
  readonly allowed: number;
  /** Names of pods that are counted as deleted already. */
  readonly disrupted: ReadonlySet<string>;
}

/** Pods to delete from a node so that another fits. */
export interface Victims {
  readonly node: NodeInfo;
  /** The most important first. */
  readonly pods: readonly PodInfo[];
  /** How many of them a budget protects. */
  readonly violations: number;
}

export type Preemption = Victims | { readonly node?: undefined; readonly message: string };

/**
 * Looks for a node from which pods of lower priority can be deleted so that the pod fits: the fewest and least
 * important ones, those that a budget protects last.
 */
export function findVictims(
  filters: readonly FilterPlugin[],
  pod: PendingPod,
  cluster: ClusterView,
  diagnosis: Diagnosis,
  budgets: readonly Budget[],
): Preemption {
  const candidates: Victims[] = [];
  const rejections: Rejection[] = [];
  const wanted = Math.max(CANDIDATES_MIN, Math.floor((cluster.nodes.length * CANDIDATES_PERCENT) / 100));
  for (const node of cluster.nodes) {
    if (diagnosis.byNode.get(node.name)?.preemptible !== true) {
      rejections.push(NOT_HELPFUL);
      continue;
    }
    if (candidates.length >= wanted) break;
    const found = victimsOn(node, (copy) => rejectionWith(filters, pod, cluster, copy), pod, budgets);
    if ('node' in found) candidates.push(found);
    else rejections.push(found);
  }
  return candidates.length > 0
    ? candidates.reduce((best, one) => (isBetter(one, best) ? one : best))
    : { message: `0/${cluster.nodes.length} nodes are available: ${countedReasons(rejections)}.` };
}

/** Why the pod cannot be on a node that is other than the cluster's. */
function rejectionWith(
  filters: readonly FilterPlugin[],
  pod: PendingPod,
  cluster: ClusterView,
  copy: NodeInfo,
): Rejection | undefined {
  const nodes = cluster.nodes.map((node) => (node.name === copy.name ? copy : node));
  const prepared = new PodFilters(filters, pod, { ...cluster, nodes });
  return prepared.rejected ?? prepared.check(copy);
}

function victimsOn(
  node: NodeInfo,
  rejectionOf: (copy: NodeInfo) => Rejection | undefined,
  { info }: PendingPod,
  budgets: readonly Budget[],
): Victims | Rejection {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < info.priority).sort(byImportance);
  if (lower.length === 0) return NO_VICTIMS;
  const copy = node.without(lower.map(({ uid }) => uid));
  const rejected = rejectionOf(copy);
  if (rejected !== undefined) return rejected;
  const { violating, others } = splitByBudgets(lower, budgets);
  const victims: PodInfo[] = [];
  const reprieve = (pods: readonly PodInfo[]): number => {
    const before = victims.length;
    for (const pod of pods) {
      copy.addPod(pod);
      if (rejectionOf(copy) === undefined) continue;
      copy.removePod(pod.uid);
      victims.push(pod);
    }
    return victims.length - before;
  };
  const violations = reprieve(violating);
  reprieve(others);
  return { node, pods: victims.sort(byImportance), violations };
}

/** Pods that a budget protects, when those before them in the list are deleted as well. */
function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly Budget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map(({ allowed }) => allowed);
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const [i, { namespace, selector, disrupted }] of budgets.entries()) {
      if (namespace !== pod.namespace || selector.empty || !selector.matches(pod.labels)) continue;
      if (disrupted.has(pod.name)) continue;
      if (--left[i]! < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

/** Of higher priority first, then those that run for longer. */
function byImportance(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || a.startMs - b.startMs;
}

function isBetter(a: Victims, b: Victims): boolean {
  const highest = ({ pods }: Victims): number => pods[0]?.priority ?? -Infinity;
  // Each priority counts as above 0, so that many pods of a low one are more than a few.
  const sum = ({ pods }: Victims): number => pods.reduce((total, { priority }) => total + priority + 2 ** 31, 0);
  const earliest = (victims: Victims): number =>
    Math.min(...victims.pods.filter(({ priority }) => priority === highest(victims)).map(({ startMs }) => startMs));
  const order = [
    a.violations - b.violations,
    highest(a) - highest(b),
    sum(a) - sum(b),
    a.pods.length - b.pods.length,
    earliest(b) - earliest(a),
  ];
  return (order.find((difference) => difference !== 0 && !Number.isNaN(difference)) ?? 0) < 0;
}
