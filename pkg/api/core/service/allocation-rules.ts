import { deepEqual } from '../../../apimachinery/json/deep.ts';
import type { Service } from '../../../generated/types/core-v1.ts';

/**
 * The addresses and ports that a service needs from the server. Pure functions; those that change change `object` in
 * place and never `old`. The order for an update is `patchAllocatedValues`, `normalizeClusterIps`, `defaultIpFamilies`
 * (ip-families.ts), allocation, and in the definition `dropTypeDependentFields`; the allocator releases the values that
 * it drops after the write.
 */

export { defaultIpFamilies, type IpFamily } from './ip-families.ts';

const CLUSTER_IP_NONE = 'None';

/** A headless service has no address, which counts as a value too. */
export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === CLUSTER_IP_NONE;
}

/** Whether the type is one with a cluster IP, or `None`. */
export function hasClusterIp({ spec }: Service): boolean {
  return spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Whether the service is to have cluster IPs from the cluster's ranges: its type has them and it is not headless. */
export function needsClusterIp(object: Service): boolean {
  return (
    hasClusterIp(object) && object.spec.clusterIP !== CLUSTER_IP_NONE && object.spec.clusterIPs?.[0] !== CLUSTER_IP_NONE
  );
}

/** Whether ports without a node port are to get one. */
export function needsNodePorts({ spec }: Service): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

export function needsHealthCheckNodePort({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

export function needsExternalTrafficPolicy({ spec }: Service): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Carries allocated values over that the client left out, so that a manifest can be applied again and again. */
export function patchAllocatedValues(object: Service, old: Service): void {
  const { spec } = object;
  if (hasClusterIp(old) && hasClusterIp(object)) {
    if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP;
    if (!spec.clusterIPs?.length && spec.clusterIP === old.spec.clusterIP && old.spec.clusterIPs !== undefined)
      spec.clusterIPs = [...old.spec.clusterIPs];
  }
  if (needsNodePorts(old) && needsNodePorts(object)) patchNodePorts(object, old);
  if (
    needsHealthCheckNodePort(old) &&
    needsHealthCheckNodePort(object) &&
    !spec.healthCheckNodePort &&
    old.spec.healthCheckNodePort
  ) {
    spec.healthCheckNodePort = old.spec.healthCheckNodePort;
  }
}

/** Ports are identified by their names; a node port that the client has given to another port is not taken back. */
function patchNodePorts(object: Service, old: Service): void {
  const given = nodePortsOf(object);
  const used = new Set([...nodePortsOf(old)].filter((port) => given.has(port)));
  const byName = new Map((old.spec.ports ?? []).map((port) => [port.name ?? '', port.nodePort]));
  for (const port of object.spec.ports ?? []) {
    const before = byName.get(port.name ?? '');
    if (port.nodePort || !before || used.has(before)) continue;
    port.nodePort = before;
    used.add(before);
  }
}

function nodePortsOf({ spec }: Service): Set<number> {
  return new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
}

/**
 * Synchronizes `clusterIP` and `clusterIPs`. Old clients know only the former, so that a change of one alone counts for
 * both; where both were changed, validation decides. `old` is the stored service, if there is one.
 */
export function normalizeClusterIps({ spec }: Service, old: Service | undefined): void {
  const clusterIp = spec.clusterIP ?? '';
  if (old === undefined) {
    if (clusterIp !== '' && !spec.clusterIPs?.length) spec.clusterIPs = [clusterIp];
    return;
  }
  const before = old.spec.clusterIP ?? '';
  if (clusterIp === before) {
    if (!spec.clusterIPs?.length && old.spec.clusterIPs !== undefined) spec.clusterIPs = [...old.spec.clusterIPs];
    return;
  }
  if (!deepEqual(spec.clusterIPs ?? [], old.spec.clusterIPs ?? [])) return;
  if (clusterIp === '') delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIp];
}

/** Removes values that the new type does not use, unless the client changed them too: that is an error to report. */
export function dropTypeDependentFields(object: Service, old: Service): void {
  const { spec } = object;
  const before = old.spec;
  const drop = (field: keyof Service['spec']): void => {
    if (deepEqual(spec[field], before[field])) delete spec[field];
  };
  if (hasClusterIp(old) && !hasClusterIp(object)) {
    if (spec.clusterIP === before.clusterIP && deepEqual(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    drop('ipFamilies');
    drop('ipFamilyPolicy');
  }
  if (needsNodePorts(old) && !needsNodePorts(object)) dropKnownNodePorts(object, old);
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(object)) drop('healthCheckNodePort');
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (needsExternalTrafficPolicy(old) && !needsExternalTrafficPolicy(object)) drop('externalTrafficPolicy');
  // The balancer goes later, but is the service's no more.
  if (spec.type !== 'LoadBalancer' && object.status?.loadBalancer?.ingress !== undefined)
    object.status = { ...object.status, loadBalancer: {} };
}

function dropKnownNodePorts(object: Service, old: Service): void {
  const known = nodePortsOf(old);
  if ([...nodePortsOf(object)].every((port) => known.has(port)))
    for (const port of object.spec.ports ?? []) delete port.nodePort;
}
