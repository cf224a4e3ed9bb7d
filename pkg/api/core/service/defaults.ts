import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';

/** Three hours. */
const CLIENT_IP_TIMEOUT_SECONDS = 10800;
const TYPES_WITH_CLUSTER_IP = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

export function setServiceDefaults({ spec }: Service): void {
  setAffinityDefaults(spec);
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (isExternal) spec.externalTrafficPolicy ||= 'Cluster';
  if (TYPES_WITH_CLUSTER_IP.has(spec.type)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

function setAffinityDefaults(spec: ServiceSpec): void {
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } };
  }
}
