import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
  ServicePort,
} from '../../generated/types/core-v1.ts';
import { isReady } from '../owned/pod-state.ts';
import {
  addressesOf,
  familiesOf,
  hostnameOf,
  isEndpoint,
  podReference,
  targetPortOf,
} from '../service-endpoints/pod-endpoint.ts';
import { repackSubsets } from '../service-endpoints/repack-subsets.ts';

/** The subsets of a service, packed and ordered. */
export function newSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const ipv6 = familiesOf(service, pods)[0] === 'IPv6';
  const publishAll = service.spec.publishNotReadyAddresses === true;
  const subsets: EndpointSubset[] = [];
  for (const pod of pods) {
    if (!isEndpoint(pod, publishAll)) continue;
    const address = addressOf(pod, service, ipv6);
    if (address === undefined) continue;
    const places = publishAll || isReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] };
    for (const ports of portsOf(pod, service)) subsets.push({ ...places, ports });
  }
  return repackSubsets(subsets);
}

function addressOf(pod: Pod, service: Service, ipv6: boolean): EndpointAddress | undefined {
  const [ip] = addressesOf(pod, ipv6);
  if (ip === undefined) return undefined;
  const hostname = hostnameOf(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...((pod.spec.nodeName ?? '') === '' ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: podReference(pod),
  };
}

/** The ports of each subset of a pod. A headless service without ports has its pods in a subset without ports. */
function portsOf(pod: Pod, service: Service): readonly EndpointPort[][] {
  const ports = service.spec.ports ?? [];
  if (ports.length === 0) return service.spec.clusterIP === 'None' ? [[]] : [];
  return ports.flatMap((port) => {
    const number = targetPortOf(pod, port);
    return number === undefined ? [] : [[endpointPort(port, number)]];
  });
}

function endpointPort({ name, protocol = 'TCP', appProtocol }: ServicePort, port: number): EndpointPort {
  return {
    ...((name ?? '') === '' ? {} : { name }),
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  };
}
