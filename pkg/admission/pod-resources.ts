import { getKey, setKey } from '../apimachinery/own-keys.ts';
import { parseQuantity, type Quantity } from '../apimachinery/quantity.ts';
import type { Pod } from '../generated/types/core-v1.ts';

/** What a pod needs at most at one time: its containers together, or the largest of its init containers, which run one by one. */
export function podResources(pod: Pod, side: 'requests' | 'limits'): Record<string, string> {
  const totals = new Map<string, Quantity>();
  for (const { resources } of pod.spec.containers ?? []) {
    for (const [name, text] of Object.entries(resources[side] ?? {})) totals.set(name, totals.get(name)?.add(parseQuantity(text)) ?? parseQuantity(text));
  }
  for (const { resources } of pod.spec.initContainers ?? []) {
    for (const name of Object.keys(resources[side] ?? {})) {
      const needed = parseQuantity(getKey<string>(resources[side], name)!);
      const total = totals.get(name);
      if (total === undefined || needed.compare(total) > 0) totals.set(name, needed);
    }
  }
  const out: Record<string, string> = {};
  for (const [name, total] of totals) setKey(out, name, total.toString());
  return out;
}
