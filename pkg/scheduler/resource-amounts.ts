import { BoundedCache } from '../apimachinery/collections/bounded-cache.ts';
import { parseQuantity } from '../apimachinery/values/quantity.ts';
import { aggregateContainers } from '../api/core/pod-spec/aggregate-resources.ts';
import type { PodSpec } from '../generated/types/core-v1.ts';

/** Amounts by resource: thousandths of `cpu`, whole units of all else. Exact up to 2^53. */
export type Amounts = ReadonlyMap<string, number>;

/** What a container without requests counts as when nodes are compared; it takes nothing of what fits. */
const DEFAULT_MILLI_CPU = 100;
const DEFAULT_MEMORY = 200 * 1024 * 1024;

const TEXTS_KEPT = 10_000;
const parsed = {
  // The same few texts stand in all pods of a workload: parsing them again took most of the time of adding a pod.
  cpu: new BoundedCache<number>(TEXTS_KEPT),
  other: new BoundedCache<number>(TEXTS_KEPT),
};

/** The amount that a quantity stands for, in the unit of `Amounts`; rounded up. */
function amountOf(name: string, quantity: string): number {
  const cache = name === 'cpu' ? parsed.cpu : parsed.other;
  const known = cache.get(quantity);
  if (known !== undefined) return known;
  const value = parseQuantity(quantity);
  const amount = Number(name === 'cpu' ? value.milliValue() : value.value());
  cache.set(quantity, amount);
  return amount;
}

export function amountsOf(list: Readonly<Record<string, string>> | undefined): Map<string, number> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, amountOf(name, text)]));
}

/**
 * What a pod takes of a node: the most that its containers take at one time, or what the pod asks for as a whole; and
 * its overhead.
 */
export function podRequests(spec: PodSpec): Map<string, number> {
  const requests = new Map<string, number>();
  for (const [name, quantity] of aggregateContainers(spec, 'requests'))
    requests.set(name, Number(name === 'cpu' ? quantity.milliValue() : quantity.value()));
  for (const [name, text] of Object.entries(spec.resources?.requests ?? {})) requests.set(name, amountOf(name, text));
  for (const [name, amount] of amountsOf(spec.overhead)) addAmount(requests, name, amount);
  return requests;
}

/** CPU and memory by which nodes are compared: a container that asks for none counts with a default. */
export function podWeights(spec: PodSpec, requests: Amounts): { readonly cpu: number; readonly memory: number } {
  const missing = (name: string): number =>
    spec.resources?.requests?.[name] === undefined
      ? (spec.containers ?? []).filter(({ resources }) => resources.requests?.[name] === undefined).length
      : 0;
  return {
    cpu: (requests.get('cpu') ?? 0) + missing('cpu') * DEFAULT_MILLI_CPU,
    memory: (requests.get('memory') ?? 0) + missing('memory') * DEFAULT_MEMORY,
  };
}

export function addAmount(amounts: Map<string, number>, name: string, amount: number): void {
  const sum = (amounts.get(name) ?? 0) + amount;
  if (sum === 0) amounts.delete(name);
  else amounts.set(name, sum);
}
