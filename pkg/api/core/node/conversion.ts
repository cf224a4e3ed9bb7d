import type { Node } from '../../../generated/types/core-v1.ts';

/** `podCIDR` is the first of `podCIDRs`. Old clients know only the one: where the two differ, it counts. */
export function matchPodCidrs(object: Node): Node {
  const { spec } = object;
  if (spec.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
  const first = spec.podCIDRs?.[0];
  if (first && !spec.podCIDR) spec.podCIDR = first;
  return object;
}
