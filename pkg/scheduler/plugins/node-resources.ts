import type { Node } from '../../generated/types/core-v1.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { amountsOf, type Amounts } from '../resource-amounts.ts';
import { SCORE_MAX, type FilterPlugin, type ScorePlugin } from '../plugin.ts';

/** What a node has and its pods do not take. */
export const nodeResourcesFit: FilterPlugin & ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  prepare({ info: { requests } }) {
    return {
      filter(node) {
        const lacking: string[] = [];
        // What the whole node has not cannot be had by deleting pods.
        let preemptible = true;
        if (node.pods.size + 1 > (node.allocatable.get('pods') ?? 0)) lacking.push('Too many pods');
        for (const [name, amount] of requests) {
          const allocatable = node.allocatable.get(name) ?? 0;
          if (amount === 0 || amount <= allocatable - (node.requested.get(name) ?? 0)) continue;
          lacking.push(`Insufficient ${name}`);
          if (amount > allocatable) preemptible = false;
        }
        return lacking.length === 0 ? undefined : { reasons: lacking, preemptible };
      },
    };
  },
  mayHelp(event, { info: { requests } }) {
    switch (event.kind) {
      case 'node':
        return bringsRoom(event.old, event.node, requests);
      case 'podRemoved':
        return true;
      case 'pod':
        // Resized in place.
        return [...requests.keys()].some((name) => amountOf(event.old, name) > amountOf(event.pod, name));
      default:
        return false;
    }
  },
  /** The more is left of CPU and memory, the better. */
  score({ info: { weights } }, nodes) {
    return nodes.map((node) => {
      const cpu = usedShare(node, weights, 'cpu');
      const memory = usedShare(node, weights, 'memory');
      if (cpu === undefined || memory === undefined) return Math.floor((1 - (cpu ?? memory ?? 1)) * SCORE_MAX);
      return Math.floor(((1 - cpu) * SCORE_MAX + (1 - memory) * SCORE_MAX) / 2);
    });
  },
};

function amountOf(pod: PodInfo | undefined, name: string): number {
  return pod?.requests.get(name) ?? 0;
}

/** Whether a node that is new, or has more than before, has enough for the pod when it is empty. */
function bringsRoom(old: Node | undefined, node: Node, requests: Amounts): boolean {
  const amounts = amountsOf(node.status.allocatable);
  if ((amounts.get('pods') ?? 0) < 1) return false;
  for (const [name, amount] of requests) if (amount > (amounts.get(name) ?? 0)) return false;
  if (old === undefined) return true;
  const before = amountsOf(old.status.allocatable);
  return ['pods', ...requests.keys()].some((name) => (amounts.get(name) ?? 0) > (before.get(name) ?? 0));
}

/** Prefers nodes whose CPU is used as far as their memory is. */
export const nodeResourcesBalancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score({ info: { requests, weights } }, nodes) {
    // A pod that asks for nothing changes no balance.
    if (requests.size === 0) return undefined;
    return nodes.map((node) => {
      const cpu = usedShare(node, weights, 'cpu');
      const memory = usedShare(node, weights, 'memory');
      if (cpu === undefined || memory === undefined) return SCORE_MAX;
      return Math.floor((1 - Math.abs(cpu - memory) / 2) * SCORE_MAX);
    });
  },
};

/** The share of a resource that is taken when the pod is there, at most 1; undefined where the node has none of it. */
function usedShare(
  { allocatable, weight }: NodeInfo,
  pod: PodInfo['weights'],
  name: 'cpu' | 'memory',
): number | undefined {
  const all = allocatable.get(name) ?? 0;
  return all === 0 ? undefined : Math.min(1, (weight[name] + pod[name]) / all);
}
