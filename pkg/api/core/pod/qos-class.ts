import { getKey } from '../../../apimachinery/own-keys.ts';
import { parseQuantity } from '../../../apimachinery/quantity.ts';
import type { Quantity } from '../../../apimachinery/quantity.ts';
import type { PodSpec, ResourceRequirements } from '../../../generated/types/core-v1.ts';

const COMPUTE = ['cpu', 'memory'];

/**
 * How reliably a pod gets its resources, by what its containers ask for: `Guaranteed` when each is limited in CPU and memory and requests all
 * of it, `BestEffort` when nothing is said, else `Burstable`.
 */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let limited = true;
  for (const resources of resourceHolders(spec)) {
    addTo(requests, resources.requests);
    if (addTo(limits, resources.limits) < COMPUTE.length) limited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = requests.size === limits.size && [...requests].every(([name, request]) => limits.get(name)?.equals(request));
  return limited && equal ? 'Guaranteed' : 'Burstable';
}

/** The pod's own resources stand for its containers'. */
function resourceHolders(spec: PodSpec): ResourceRequirements[] {
  const own = spec.resources;
  if (own !== undefined && COMPUTE.some((name) => getKey(own.limits, name) !== undefined || getKey(own.requests, name) !== undefined)) return [own];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => container.resources);
}

/** Adds the positive amounts; answers how many there were. */
function addTo(totals: Map<string, Quantity>, list: Record<string, string> | undefined): number {
  let count = 0;
  for (const name of COMPUTE) {
    const text = getKey<string>(list, name);
    if (text === undefined) continue;
    const amount = parseQuantity(text);
    if (amount.sign() <= 0) continue;
    count++;
    totals.set(name, totals.get(name)?.add(amount) ?? amount);
  }
  return count;
}
