import { parseQuantity, type Quantity } from '../../../apimachinery/values/quantity.ts';
import type { Container, PodSpec } from '../../../generated/types/core-v1.ts';

type Totals = Map<string, Quantity>;

/**
 * The most that a pod's containers take together at one time: the regular ones and the sidecars (restartable init
 * containers); or, while it starts, one init container beside the sidecars that were started before it.
 */
export function aggregateContainers(spec: PodSpec, side: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const running: Totals = new Map();
  const sidecars: Totals = new Map();
  const starting: Totals = new Map();
  for (const container of spec.containers ?? []) add(running, container, side);
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      add(running, container, side);
      add(sidecars, container, side);
      raise(starting, sidecars);
    } else {
      const beside: Totals = new Map(sidecars);
      add(beside, container, side);
      raise(starting, beside);
    }
  }
  raise(running, starting);
  return running;
}

function add(totals: Totals, { resources }: Container, side: 'requests' | 'limits'): void {
  for (const [name, text] of Object.entries(resources[side] ?? {})) {
    const amount = parseQuantity(text);
    totals.set(name, totals.get(name)?.add(amount) ?? amount);
  }
}

function raise(totals: Totals, others: Totals): void {
  for (const [name, amount] of others) {
    const known = totals.get(name);
    if (known === undefined || known.compare(amount) < 0) totals.set(name, amount);
  }
}
