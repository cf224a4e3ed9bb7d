import { isHugePageResourceName } from '../../../validation/resource-names.ts';
import type { Quantity } from '../../../../apimachinery/values/quantity.ts';
import type { Container, Pod } from '../../../../generated/types/core-v1.ts';
import { addTo, amountsOf, highest, raiseTo, type Amounts } from './amounts.ts';

type Side = 'requests' | 'limits';

/**
 * The most that a pod needs at one time: its containers and the restartable init containers, together; or, before those
 * run, an init container and the restartable ones started before it. Resources of the pod as a whole replace those of
 * its containers. With `isHeldCounted`, a container counts with what its node still holds for it, where that is more:
 * while it is being resized.
 */
export function podResources(pod: Pod, side: Side, isHeldCounted = false): Map<string, Quantity> {
  const { spec } = pod;
  const amounts = isHeldCounted ? heldAmounts(pod, side) : ({ resources }: Container) => amountsOf(resources[side]);
  const running = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) addTo(running, amounts(container));
  const beside = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const container of spec.initContainers ?? []) {
    const isRestartable = container.restartPolicy === 'Always';
    const own = isRestartable ? amounts(container) : amountsOf(container.resources[side]);
    // The sum of started containers only grows: names that this container does not request count at the end.
    raiseTo(starting, new Map([...own].map(([name, amount]) => [name, beside.get(name)?.add(amount) ?? amount])));
    if (!isRestartable) continue;
    addTo(beside, own);
    addTo(running, own);
  }
  raiseTo(starting, beside);
  const whole = [...amountsOf(spec.resources?.[side])].filter(
    ([name]) => name === 'cpu' || name === 'memory' || isHugePageResourceName(name),
  );
  return new Map([...highest(running, starting), ...whole]);
}

/** What a container asks for or its node holds for it, the larger; of a resize that cannot be done what is held. */
function heldAmounts({ status }: Pod, side: Side): (container: Container) => Amounts {
  const held = new Map<string, Amounts>();
  for (const { name, resources, allocatedResources } of [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
  ]) {
    if (resources === undefined) continue;
    const actual = amountsOf(resources[side]);
    held.set(name, side === 'requests' ? highest(actual, amountsOf(allocatedResources)) : actual);
  }
  const isInfeasible = status?.conditions?.some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  return ({ name, resources }) => {
    const found = held.get(name);
    if (found === undefined) return amountsOf(resources[side]);
    return isInfeasible === true ? found : highest(amountsOf(resources[side]), found);
  };
}
