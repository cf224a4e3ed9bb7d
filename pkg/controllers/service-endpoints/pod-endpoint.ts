import type { ObjectReference, Pod, Service, ServicePort } from '../../generated/types/core-v1.ts';
import { hasEnded } from '../owned/pod-state.ts';

const ALWAYS = 'Always';

/** Whether a pod is an endpoint at all: it has an address and has not ended. */
export function isEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  const { metadata, status } = pod;
  if (hasEnded(pod)) return false;
  if ((status.podIP ?? '') === '' && (status.podIPs ?? []).length === 0) return false;
  return includeTerminating || metadata.deletionTimestamp === undefined;
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === 'None' || (spec.clusterIP ?? '') === '';
}

/** Addresses of one family. */
export function addressesOf({ status }: Pod, ipv6: boolean): string[] {
  const ips = (status.podIPs ?? []).map(({ ip }) => ip ?? '');
  const all = ips.length > 0 ? ips : [status.podIP ?? ''];
  return all.filter((ip) => ip !== '' && ip.includes(':') === ipv6);
}

/** The families of a service; services of earlier releases have none, and then the cluster IP decides, or the pods. */
export function familiesOf({ spec }: Service, pods: readonly Pod[]): readonly string[] {
  if ((spec.ipFamilies ?? []).length > 0) return spec.ipFamilies!;
  if (spec.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None')
    return [spec.clusterIP.includes(':') ? 'IPv6' : 'IPv4'];
  const first = pods.find(({ status }) => (status.podIP ?? '') !== '');
  return [first?.status.podIP?.includes(':') === true ? 'IPv6' : 'IPv4'];
}

/** The number of the target port in a pod; undefined where the pod has no port of that name. */
export function targetPortOf({ spec }: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort === 0 ? port : targetPort;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === ALWAYS);
  for (const { ports } of [...(spec.containers ?? []), ...sidecars])
    for (const { name, containerPort, protocol: used = 'TCP' } of ports ?? [])
      if (name === targetPort && used === protocol) return containerPort;
  return undefined;
}

/** The name by which the pod is found below the service; undefined where the service is not its domain. */
export function hostnameOf({ metadata, spec }: Pod, service: Service): string | undefined {
  const isOfDomain = spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return isOfDomain && (spec.hostname ?? '') !== '' ? spec.hostname : undefined;
}

export function podReference({ metadata }: Pod): ObjectReference {
  return { kind: 'Pod', namespace: metadata.namespace!, name: metadata.name!, uid: metadata.uid! };
}
