import { parseQuantity, Quantity } from '../apimachinery/values/quantity.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import type { ContainerMetrics } from '../generated/types/metrics-v1beta1.ts';
import { behaviorOf, hasFailed } from './simulated-node.ts';

/** Annotations of a pod that say what each of its containers uses; with `.NAME` at the end they mean one container. */
const USAGE: Readonly<Record<string, string>> = {
  cpu: 'simulation.binnacle.io/cpu-usage',
  memory: 'simulation.binnacle.io/memory-usage',
};
/** Of a container that requests nothing. */
const DEFAULTS: Readonly<Record<string, string>> = { cpu: '10m', memory: '32Mi' };
/** Of the node itself. */
const OWN: Readonly<Record<string, string>> = { cpu: '100m', memory: '256Mi' };

/** What the running containers of a pod use: as its annotations say, else half of what they request. */
export function podUsage(pod: Pod, node: Node): readonly ContainerMetrics[] | undefined {
  if (!isMeasured(node) || pod.status.phase !== 'Running') return undefined;
  const isRunning = (name: string): boolean =>
    [...(pod.status.containerStatuses ?? []), ...(pod.status.initContainerStatuses ?? [])].some(
      (status) => status.name === name && status.state?.running !== undefined,
    );
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])];
  return containers
    .filter(({ name }) => isRunning(name))
    .map(({ name, resources }) => {
      const used = (resource: string): string =>
        annotated(pod, resource, name) ?? half(resources?.requests?.[resource], resource) ?? DEFAULTS[resource]!;
      return { name, usage: { cpu: used('cpu'), memory: used('memory') } };
    });
}

/** What a node uses: its containers, and a little of its own. */
export function nodeUsage(node: Node, containers: readonly ContainerMetrics[]): Record<string, string> | undefined {
  if (!isMeasured(node)) return undefined;
  const sum = (resource: string): string =>
    containers
      .reduce((total, { usage }) => total.add(parseQuantity(usage![resource]!)), parseQuantity(OWN[resource]!))
      .toString();
  return { cpu: sum('cpu'), memory: sum('memory') };
}

function isMeasured(node: Node): boolean {
  return behaviorOf(node) !== undefined && !hasFailed(node);
}

/** Undefined: there is no such annotation, or no quantity in it. */
function annotated({ metadata: { annotations } }: Pod, resource: string, container: string): string | undefined {
  const text = annotations?.[`${USAGE[resource]}.${container}`] ?? annotations?.[USAGE[resource]!];
  if (text === undefined) return undefined;
  try {
    return parseQuantity(text).toString();
  } catch {
    // It says nothing then, as with other annotations of simulated pods.
    return undefined;
  }
}

function half(request: string | undefined, resource: string): string | undefined {
  if (request === undefined) return undefined;
  const milli = parseQuantity(request).milliValue();
  return resource === 'cpu'
    ? Quantity.fromMilli(milli / 2n).toString()
    : Quantity.fromInteger(milli / 2000n, 'BinarySI').toString();
}
