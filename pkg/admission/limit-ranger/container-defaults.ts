import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { Container, LimitRange, Pod } from '../../generated/types/core-v1.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

type Quantities = Record<string, string>;

/** Sets the requests and limits that containers lack; an annotation lists them. */
export function setContainerDefaults(pod: Pod, range: LimitRange): void {
  const requests: Quantities = {};
  const limits: Quantities = {};
  for (const limit of range.spec.limits ?? []) {
    if (limit.type !== 'Container') continue;
    for (const [name, quantity] of Object.entries(limit.defaultRequest ?? {})) setKey(requests, name, quantity);
    for (const [name, quantity] of Object.entries(limit.default ?? {})) setKey(limits, name, quantity);
  }
  const report: string[] = [];
  const fill = (container: Container, called: string): void => {
    const { resources } = container;
    const addedRequests = fillIn(resources, 'requests', requests);
    const addedLimits = fillIn(resources, 'limits', limits);
    if (addedRequests.length > 0) report.push(`${addedRequests.join(', ')} request for ${called} ${container.name}`);
    if (addedLimits.length > 0) report.push(`${addedLimits.join(', ')} limit for ${called} ${container.name}`);
  };
  for (const container of pod.spec.containers ?? []) fill(container, 'container');
  for (const container of pod.spec.initContainers ?? []) fill(container, 'init container');
  if (report.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${report.join('; ')}`,
  };
}

/** Returns the names of what was added, sorted. */
function fillIn(resources: Container['resources'], side: 'requests' | 'limits', defaults: Quantities): string[] {
  const given = resources[side];
  const added = Object.keys(defaults)
    .filter((name) => getKey(given, name) === undefined)
    .sort();
  if (added.length === 0) return added;
  const filled = { ...given };
  for (const name of added) setKey(filled, name, defaults[name]);
  resources[side] = filled;
  return added;
}
