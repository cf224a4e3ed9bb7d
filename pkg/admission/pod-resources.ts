import { isHugePageResourceName } from '../api/validation/resource-names.ts';
import type { Pod } from '../generated/types/core-v1.ts';
import { added, amountsOf, highest, type Amounts } from './amounts.ts';

/**
 * What a pod needs at most at one time: its containers, and the init containers that go on running beside them, together; or, before those run,
 * an init container beside what was started before it. What a pod says for itself as a whole stands for its containers.
 */
export function podResources({ spec }: Pod, side: 'requests' | 'limits'): Amounts {
  let running: Amounts = new Map();
  for (const { resources } of spec.containers ?? []) running = added(running, amountsOf(resources[side]));
  let beside: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources[side]);
    starting = highest(starting, added(beside, own));
    if (restartPolicy !== 'Always') continue;
    beside = added(beside, own);
    running = added(running, own);
  }
  const whole = [...amountsOf(spec.resources?.[side])].filter(([name]) => name === 'cpu' || name === 'memory' || isHugePageResourceName(name));
  return new Map([...highest(running, starting), ...whole]);
}
