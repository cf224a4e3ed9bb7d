import { services } from '../../api/core/tokens.ts';
import { controllerReference } from '../../client/reconcile/owner-references.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { Node, Pod, Service } from '../../generated/types/core-v1.ts';
import type { EndpointPort, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { familiesOf, isHeadless } from '../service-endpoints/pod-endpoint.ts';
import {
  addChanges,
  groupSlices,
  HEADLESS,
  isOwned,
  MANAGED_BY,
  noChanges,
  portsKey,
  reuseRemoved,
  SERVICE_NAME,
  type SliceChanges,
  writeChanges,
  type SliceWrites,
} from '../service-endpoints/slice-changes.ts';
import { desiredEndpoints } from './desired-endpoints.ts';
import { fillSlices } from './fill-slices.ts';

export const MANAGER = 'endpointslice-controller.k8s.io';

export interface SliceSteps {
  readonly podsOf: (service: Service) => readonly Pod[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly existing: () => readonly EndpointSlice[];
  readonly triggerTime: (pods: readonly Pod[]) => string | undefined;
  readonly writes: SliceWrites;
  readonly endpointsMax: number;
  /** Gives the endpoints of one type of address their hints. */
  readonly hint: (addressType: string, changes: SliceChanges, existing: readonly EndpointSlice[]) => SliceChanges;
  /** The slices were written. */
  readonly synced: (existing: readonly EndpointSlice[], changes: SliceChanges) => void;
}

/** One service: its slices name the pods that it selects. A service that has no selector any more keeps its slices. */
export async function reconcile(service: Service, steps: SliceSteps): Promise<void> {
  if (service.spec.type === 'ExternalName' || service.spec.selector === undefined) return;
  const pods = steps.podsOf(service);
  const time = steps.triggerTime(pods);
  const existing = steps.existing();
  const families = familiesOf(service, pods);
  const changes = noChanges();
  const withoutNode = new Set<Pod>();
  for (const family of families) {
    const ofFamily = existing.filter(({ addressType }) => addressType === family);
    const found = changesOf(service, pods, family, ofFamily, steps);
    addChanges(changes, found.changes);
    found.withoutNode.forEach((pod) => withoutNode.add(pod));
  }
  changes.remove.push(...existing.filter(({ addressType }) => !families.includes(addressType)));
  const subject = `Service ${service.metadata.namespace}/${service.metadata.name}`;
  await writeChanges(changes, service, steps.writes, { subject, time });
  steps.synced(existing, changes);
  const problems = Array.from(withoutNode, ({ metadata, spec }) => {
    return `skipping Pod ${metadata.name} for ${subject}: Node ${spec.nodeName ?? ''} Not Found`;
  });
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

function changesOf(
  service: Service,
  pods: readonly Pod[],
  addressType: string,
  existing: readonly EndpointSlice[],
  { nodeOf, endpointsMax, hint }: SliceSteps,
): { readonly changes: SliceChanges; readonly withoutNode: readonly Pod[] } {
  const { groups, withoutNode } = desiredEndpoints(service, pods, addressType, nodeOf);
  const [owned, others] = [true, false].map((wanted) => existing.filter((one) => isOwned(one, service) === wanted));
  const byPorts = groupSlices(owned!, ({ ports }) => portsKey(ports));
  const changes = noChanges();
  // Those of an earlier service of the name, which the collector of garbage is about to delete.
  changes.remove.push(...others!);
  const labels = labelsOf(service);
  for (const [key, { ports, endpoints }] of groups) {
    const newSlice = (): EndpointSlice => emptySlice(service, addressType, ports);
    addChanges(changes, fillSlices(byPorts.get(key) ?? [], endpoints, { newSlice, labels, endpointsMax }));
  }
  for (const [key, slices] of byPorts) if (!groups.has(key)) changes.remove.push(...slices);
  keepPlaceholder(service, addressType, existing, changes);
  return { changes: reuseRemoved(hint(addressType, changes, existing), service), withoutNode };
}

/** A service without endpoints has one empty slice, which says that its controller has seen it. */
function keepPlaceholder(
  service: Service,
  addressType: string,
  existing: readonly EndpointSlice[],
  changes: SliceChanges,
): void {
  if (existing.length !== changes.remove.length || changes.create.length > 0) return;
  const placeholder = emptySlice(service, addressType, []);
  const [only] = changes.remove;
  if (changes.remove.length === 1 && isPlaceholder(only!, placeholder)) changes.remove.length = 0;
  else changes.create.push(placeholder);
}

function isPlaceholder(slice: EndpointSlice, { metadata }: EndpointSlice): boolean {
  return (
    (slice.endpoints ?? []).length === 0 &&
    (slice.ports ?? []).length === 0 &&
    semanticDeepEqual(slice.metadata.labels, metadata.labels) &&
    semanticDeepEqual(slice.metadata.ownerReferences, metadata.ownerReferences)
  );
}

function emptySlice(service: Service, addressType: string, ports: EndpointPort[]): EndpointSlice {
  const { namespace, name } = service.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(service),
      ownerReferences: [controllerReference(services, service)],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

function labelsOf(service: Service): Record<string, string> {
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
    [SERVICE_NAME]: service.metadata.name!,
    [MANAGED_BY]: MANAGER,
  };
}
