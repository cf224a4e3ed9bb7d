import type { NodeInfo } from '../node-info.ts';
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
  /** The more is left of CPU and memory, the better. */
  score({ info: { weights } }, nodes) {
    return nodes.map((node) => {
      const shares = usedShares(node, weights);
      return Math.floor(shares.reduce((sum, share) => sum + (1 - share) * SCORE_MAX, 0) / Math.max(1, shares.length));
    });
  },
};

/** Prefers nodes whose CPU is used as far as their memory is. */
export const nodeResourcesBalancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score({ info: { requests, weights } }, nodes) {
    // A pod that asks for nothing changes no balance.
    if (requests.size === 0) return undefined;
    return nodes.map((node) => {
      const [cpu, memory] = usedShares(node, weights);
      if (cpu === undefined || memory === undefined) return SCORE_MAX;
      return Math.floor((1 - Math.abs(cpu - memory) / 2) * SCORE_MAX);
    });
  },
};

/** Shares of CPU and memory that are taken when the pod is there, at most 1; without those that the node has not. */
function usedShares(node: NodeInfo, pod: { readonly cpu: number; readonly memory: number }): number[] {
  return (['cpu', 'memory'] as const).flatMap((name) => {
    const allocatable = node.allocatable.get(name) ?? 0;
    return allocatable === 0 ? [] : [Math.min(1, (node.weight[name] + pod[name]) / allocatable)];
  });
}
