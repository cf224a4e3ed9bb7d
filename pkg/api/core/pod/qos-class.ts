import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type { Quantity } from '../../../apimachinery/values/quantity.ts';
import type { PodSpec } from '../../../generated/types/core-v1.ts';

const COMPUTE = ['cpu', 'memory'];

/**
 * The QoS class of a pod, by the resources of its containers: `Guaranteed` when each is limited in CPU and memory and
 * requests all of it, `BestEffort` when none are set, else `Burstable`. Resources of the pod as a whole replace those
 * of its containers.
 */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let limited = true;
  const holders =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [spec.resources];
  for (const resources of holders) {
    addTo(requests, resources.requests);
    if (addTo(limits, resources.limits) < COMPUTE.length) limited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal =
    requests.size === limits.size && [...requests].every(([name, request]) => limits.get(name)?.equals(request));
  return limited && equal ? 'Guaranteed' : 'Burstable';
}

/** Adds the positive amounts; returns their number. */
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
