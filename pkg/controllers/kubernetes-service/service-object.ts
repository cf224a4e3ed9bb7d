import type { Service } from '../../generated/types/core-v1.ts';

export const NAMESPACE = 'default';
export const NAME = 'kubernetes';
const SERVICE_PORT = 443;

/** How programs in the cluster reach its servers. */
export interface KubernetesServiceOptions {
  /** The first address of the service range. */
  readonly clusterIp: string;
  /** Port on which servers serve. */
  readonly securePort: number;
  /** `--cluster-service-node-port`; 0: the service has none. */
  readonly nodePort: number;
}

/** The service as a server makes it. */
export function serviceObject({ clusterIp, securePort, nodePort }: KubernetesServiceOptions): Service {
  const port = {
    name: 'https',
    port: SERVICE_PORT,
    protocol: 'TCP',
    targetPort: securePort,
    ...(nodePort > 0 ? { nodePort } : {}),
  };
  return {
    metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: nodePort > 0 ? 'NodePort' : 'ClusterIP',
      clusterIP: clusterIp,
      sessionAffinity: 'None',
      ports: [port],
    },
    status: { loadBalancer: {} },
  };
}
