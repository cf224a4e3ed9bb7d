import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
  ServicePort,
} from '../../generated/types/core-v1.ts';
import { isReady } from '../owned/pod-state.ts';
import { byText } from '../service-endpoints/order.ts';
import {
  addressesOf,
  familiesOf,
  hostnameOf,
  isEndpoint,
  isHeadless,
  podReference,
  targetPortOf,
} from '../service-endpoints/pod-endpoint.ts';

interface Place {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

/**
 * The subsets of a service: ports that the same addresses have are in one subset, and addresses that have the same
 * ports. Ordered, so that equal content is equal.
 */
export function newSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly places: Map<string, Place> }>();
  const ipv6 = familiesOf(service, pods)[0] === 'IPv6';
  const publishAll = service.spec.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (!isEndpoint(pod, publishAll)) continue;
    const place = placeOf(pod, service, ipv6, publishAll);
    if (place === undefined) continue;
    for (const port of portsOf(pod, service)) {
      const key = JSON.stringify(port ?? null);
      const known = byPort.get(key) ?? { port, places: new Map<string, Place>() };
      known.places.set(`${place.address.ip}/${place.address.targetRef!.uid}`, place);
      byPort.set(key, known);
    }
  }
  return repack([...byPort.values()].map(({ port, places }) => ({ port, places: inOrder(places) })));
}

function placeOf(pod: Pod, service: Service, ipv6: boolean, publishAll: boolean): Place | undefined {
  const [ip] = addressesOf(pod, ipv6);
  if (ip === undefined) return undefined;
  const hostname = hostnameOf(pod, service);
  const address: EndpointAddress = {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...((pod.spec.nodeName ?? '') === '' ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: podReference(pod),
  };
  return { address, ready: publishAll || isReady(pod) };
}

/** A headless service without ports has its pods without ports, which `undefined` stands for. */
function portsOf(pod: Pod, service: Service): readonly (EndpointPort | undefined)[] {
  const ports = service.spec.ports ?? [];
  if (ports.length === 0) return isHeadless(service) ? [undefined] : [];
  return ports.flatMap((port) => {
    const number = targetPortOf(pod, port);
    return number === undefined ? [] : [endpointPort(port, number)];
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

function inOrder(places: ReadonlyMap<string, Place>): readonly Place[] {
  return [...places].sort(([a], [b]) => byText(a, b)).map(([, place]) => place);
}

function repack(
  byPort: readonly { readonly port: EndpointPort | undefined; readonly places: readonly Place[] }[],
): EndpointSubset[] {
  const subsets = new Map<string, { readonly places: readonly Place[]; readonly ports: EndpointPort[] }>();
  for (const { port, places } of byPort) {
    const key = places.map(({ address, ready }) => `${address.ip}/${address.targetRef!.uid}/${ready}`).join();
    const known = subsets.get(key) ?? { places, ports: [] };
    if (port !== undefined) known.ports.push(port);
    subsets.set(key, known);
  }
  return [...subsets]
    .sort(([a, one], [b, two]) => byText(portsText(one.ports), portsText(two.ports)) || byText(a, b))
    .map(([, { places, ports }]) => {
      const of = (ready: boolean): EndpointAddress[] =>
        places.filter((place) => place.ready === ready).map(({ address }) => address);
      const [addresses, notReadyAddresses] = [of(true), of(false)];
      return {
        ...(addresses.length === 0 ? {} : { addresses }),
        ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
        ...(ports.length === 0 ? {} : { ports: ports.sort((a, b) => byText(portsText([a]), portsText([b]))) }),
      };
    });
}

function portsText(ports: readonly EndpointPort[]): string {
  return ports.map(({ name = '', port, protocol }) => `${name}/${protocol}/${port}`).join();
}
