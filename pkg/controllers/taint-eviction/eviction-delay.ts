import { tolerates } from '../../api/core/pod-spec/tolerates.ts';
import type { Node, Taint, Toleration } from '../../generated/types/core-v1.ts';

/** The taints that evict. */
export function evictingTaints({ spec }: Node): readonly Taint[] {
  return (spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/**
 * Milliseconds that a pod may stay on a node with these taints: the shortest time that a toleration gives. 0: none, as
 * some taint is not tolerated; Infinity: it stays.
 */
export function evictionDelay(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let delayMs = Infinity;
  for (const taint of taints) {
    // The first one that covers the taint counts, be there others for longer.
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (toleration === undefined) return 0;
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds === undefined) continue;
    delayMs = Math.min(delayMs, Math.max(0, Number(tolerationSeconds)) * 1000);
  }
  return delayMs;
}
