import { isIP } from 'node:net';
import { endpoints as endpointsResource } from '../../api/core/tokens.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { controllerReference } from '../../client/reconcile/owner-references.ts';
import type { EndpointAddress, Endpoints, EndpointSubset } from '../../generated/types/core-v1.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { repackSubsets } from '../service-endpoints/repack-subsets.ts';
import {
  groupSlices,
  MANAGED_BY,
  noChanges,
  portsKey,
  reuseRemoved,
  SERVICE_NAME,
  type SliceChanges,
} from '../service-endpoints/slice-changes.ts';
import { TRIGGER_TIME } from '../service-endpoints/trigger-times.ts';

export const MANAGER = 'endpointslicemirroring-controller.k8s.io';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

interface Mirrored {
  readonly addressType: string;
  readonly ports: EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

export interface MirrorChanges {
  readonly changes: SliceChanges;
  /** Addresses that are no IP addresses. */
  readonly invalid: number;
  /** Addresses over the maximum. */
  readonly skipped: number;
}

/** One slice for each type of address and set of ports of the Endpoints. */
export function mirrorChanges(
  source: Endpoints,
  existing: readonly EndpointSlice[],
  endpointsMax: number,
): MirrorChanges {
  const { wanted, invalid, skipped } = gather(source.subsets ?? [], endpointsMax);
  const byKey = groupSlices(existing, (slice) => `${slice.addressType} ${portsKey(slice.ports)}`);
  const changes = noChanges();
  for (const [key, { addressType, ports, endpoints }] of wanted) {
    const [first, ...rest] = byKey.get(key) ?? [];
    const slice = sliceOf(source, addressType, ports, [...endpoints.values()]);
    changes.remove.push(...rest);
    if (first === undefined) changes.create.push(slice);
    else if (!isEqual(first, slice)) changes.update.push(updated(first, slice));
  }
  for (const [key, slices] of byKey) if (!wanted.has(key)) changes.remove.push(...slices);
  return { changes: reuseRemoved(changes, source), invalid, skipped };
}

function gather(
  subsets: readonly EndpointSubset[],
  endpointsMax: number,
): { readonly wanted: Map<string, Mirrored>; readonly invalid: number; readonly skipped: number } {
  const wanted = new Map<string, Mirrored>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(subsets)) {
    const all = [...addresses, ...notReadyAddresses];
    let added = 0;
    all.forEach((address, i) => {
      const family = isIP(address.ip);
      if (added >= endpointsMax) skipped++;
      else if (family === 0) invalid++;
      else {
        const slicePorts = ports.map((port) => ({ ...port, name: port.name ?? '', protocol: port.protocol ?? 'TCP' }));
        const addressType = `IPv${family}`;
        const key = `${addressType} ${portsKey(slicePorts)}`;
        const group = wanted.get(key) ?? { addressType, ports: slicePorts, endpoints: new Map<string, Endpoint>() };
        group.endpoints.set(keyOf(address), endpointOf(address, i < addresses.length));
        wanted.set(key, group);
        added++;
      }
    });
  }
  return { wanted, invalid, skipped };
}

function keyOf({ ip, targetRef }: EndpointAddress): string {
  return JSON.stringify([ip, targetRef?.namespace ?? '', targetRef?.name ?? '']);
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...((hostname ?? '') === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

function sliceOf(
  source: Endpoints,
  addressType: string,
  ports: EndpointPort[],
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const { namespace, name, labels } = source.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name!, [MANAGED_BY]: MANAGER },
      annotations: annotationsOf(source),
      ownerReferences: [controllerReference(endpointsResource, source)],
    },
    addressType,
    endpoints: [...endpoints],
    ports,
  };
}

function annotationsOf({ metadata }: Endpoints): Record<string, string> {
  const { [LAST_APPLIED]: _, [TRIGGER_TIME]: __, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

function isEqual(slice: EndpointSlice, wanted: EndpointSlice): boolean {
  return (
    semanticDeepEqual(slice.endpoints ?? [], wanted.endpoints) &&
    semanticDeepEqual(slice.metadata.labels ?? {}, wanted.metadata.labels) &&
    semanticDeepEqual(slice.metadata.annotations ?? {}, wanted.metadata.annotations)
  );
}

function updated(slice: EndpointSlice, { metadata, endpoints, ports }: EndpointSlice): EndpointSlice {
  const { labels, annotations } = metadata;
  return { ...slice, metadata: { ...slice.metadata, labels, annotations }, endpoints, ports };
}
