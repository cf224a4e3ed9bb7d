import type { Node, Pod, Service } from '../../generated/types/core-v1.ts';
import type { Endpoint, EndpointPort } from '../../generated/types/discovery-v1.ts';
import { isReady } from '../owned/pod-state.ts';
import {
  addressesOf,
  hostnameOf,
  isEndpoint,
  isHeadless,
  podReference,
  targetPortOf,
} from '../service-endpoints/pod-endpoint.ts';
import { portsKey } from '../service-endpoints/slice-changes.ts';
import { ZONE } from './zone-shares.ts';

/** Endpoints that have the same ports. */
export interface DesiredGroup {
  readonly ports: EndpointPort[];
  /** By what makes them the same endpoint. */
  readonly endpoints: Map<string, Endpoint>;
}

export interface DesiredEndpoints {
  /** By ports. */
  readonly groups: ReadonlyMap<string, DesiredGroup>;
  /** Pods that wait for their node to become known; they are left out until then. */
  readonly withoutNode: readonly Pod[];
}

/** The same endpoint, whatever its state. */
export function endpointKey({ addresses, targetRef }: Endpoint): string {
  return JSON.stringify([[...(addresses ?? [])].sort(), targetRef?.namespace ?? '', targetRef?.name ?? '']);
}

/** The endpoints of one type of address. */
export function desiredEndpoints(
  service: Service,
  pods: readonly Pod[],
  addressType: string,
  nodeOf: (name: string) => Node | undefined,
): DesiredEndpoints {
  const groups = new Map<string, DesiredGroup>();
  const withoutNode: Pod[] = [];
  for (const pod of pods) {
    if (!isEndpoint(pod, true)) continue;
    const ports = portsOf(pod, service);
    if (ports === undefined) continue;
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group);
    const node = nodeOf(pod.spec.nodeName ?? '');
    if (node === undefined && service.spec.publishNotReadyAddresses !== true) {
      withoutNode.push(pod);
      continue;
    }
    const addresses = addressesOf(pod, addressType === 'IPv6');
    if (addresses.length === 0) continue;
    const endpoint = endpointOf(pod, service, addresses, node);
    group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return { groups, withoutNode };
}

/** Absent for a service without ports that is not headless: it has nothing to send to. */
function portsOf(pod: Pod, service: Service): EndpointPort[] | undefined {
  const wanted = service.spec.ports ?? [];
  if (wanted.length === 0 && !isHeadless(service)) return undefined;
  return wanted.flatMap((servicePort) => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointOf(pod: Pod, service: Service, addresses: string[], node: Node | undefined): Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  const zone = node?.metadata.labels?.[ZONE] ?? '';
  const { nodeName = '' } = pod.spec;
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podReference(pod),
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === '' ? {} : { zone }),
  };
}
