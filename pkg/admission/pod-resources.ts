import { isHugePageResourceName } from '../api/validation/resource-names.ts';
import type { Quantity } from '../apimachinery/values/quantity.ts';
import type { Pod } from '../generated/types/core-v1.ts';
import { addTo, amountsOf, highest, raiseTo, type Amounts } from './amounts.ts';

/**
 * The most that a pod needs at one time: its containers and the restartable init containers, together; or, before those
 * run, an init container and the restartable ones started before it. Resources of the pod as a whole replace those of
 * its containers.
 */
export function podResources({ spec }: Pod, side: 'requests' | 'limits'): Amounts {
  const running = new Map<string, Quantity>();
  for (const { resources } of spec.containers ?? []) addTo(running, amountsOf(resources[side]));
  const beside = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources[side]);
    // The sum of started containers only grows: names that this container does not request count at the end.
    raiseTo(starting, new Map([...own].map(([name, amount]) => [name, beside.get(name)?.add(amount) ?? amount])));
    if (restartPolicy !== 'Always') continue;
    addTo(beside, own);
    addTo(running, own);
  }
  raiseTo(starting, beside);
  const whole = [...amountsOf(spec.resources?.[side])].filter(
    ([name]) => name === 'cpu' || name === 'memory' || isHugePageResourceName(name),
  );
  return new Map([...highest(running, starting), ...whole]);
}
