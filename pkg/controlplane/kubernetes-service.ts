import type { Service } from '../generated/types/core-v1.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { changeOwn } from './own-objects.ts';
import { createIfAbsent } from './system-namespaces.ts';

export interface KubernetesServiceOptions {
  /** The first address of the service range. */
  readonly clusterIp: string;
  /** Port on which servers serve. */
  readonly securePort: number;
  /** `--cluster-service-node-port`; 0: the service has none. */
  readonly nodePort: number;
}

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const SERVICE_PORT = 443;

/** Makes sure that the service exists by which programs in the cluster reach its servers, and that its ports and type are as configured. */
export async function ensureKubernetesService(stores: StoreAccess, options: KubernetesServiceOptions): Promise<void> {
  const store = stores('services');
  const type = options.nodePort > 0 ? 'NodePort' : 'ClusterIP';
  const port = { name: 'https', port: SERVICE_PORT, protocol: 'TCP', targetPort: options.securePort, ...(options.nodePort > 0 ? { nodePort: options.nodePort } : {}) };
  await createIfAbsent(store, {
    metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { type, clusterIP: options.clusterIp, sessionAffinity: 'None', ports: [port] },
  });
  await changeOwn<Service>(store, NAMESPACE, NAME, ({ spec }) => {
    spec.type = type;
    spec.ports = [port];
  });
}
