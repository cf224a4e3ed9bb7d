import type { Service } from '../generated/types/core-v1.ts';
import { isInvalid } from '../apimachinery/errors/status-error.ts';
import { listObjects } from '../registry/read-objects.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { changeOwn, createOwnIfAbsent } from '../registry/own-writes.ts';

export interface KubernetesServiceOptions {
  /** The first address of the service range. */
  readonly clusterIp: string;
  /** Port on which servers serve. */
  readonly securePort: number;
  /** `--cluster-service-node-port`; 0: the service has none. */
  readonly nodePort: number;
  /** Gives the address back that is taken without a service that has it. */
  readonly releaseClusterIp: () => Promise<void>;
  /**
   * Whether a service that is there gets these ports and this type, as it does when a server starts; later somebody
   * else's choice counts. Default: yes.
   */
  readonly mends?: boolean;
  /** How long a service may take to appear whose address is taken, milliseconds. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 3000;
const LOOK_EVERY_MS = 50;

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const SERVICE_PORT = 443;

/**
 * Makes sure that the service exists by which programs in the cluster reach its servers, and unless told otherwise that
 * its ports and type are as configured.
 */
export async function ensureKubernetesService(stores: StoreAccess, options: KubernetesServiceOptions): Promise<void> {
  const store = stores('services');
  const type = options.nodePort > 0 ? 'NodePort' : 'ClusterIP';
  const port = {
    name: 'https',
    port: SERVICE_PORT,
    protocol: 'TCP',
    targetPort: options.securePort,
    ...(options.nodePort > 0 ? { nodePort: options.nodePort } : {}),
  };
  await createPatiently(store, options, {
    metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { type, clusterIP: options.clusterIp, sessionAffinity: 'None', ports: [port] },
  });
  if (options.mends === false) return;
  await changeOwn<Service>(store, NAMESPACE, NAME, ({ spec }) => {
    spec.type = type;
    spec.ports = [port];
  });
}

/**
 * Another server that starts at the same moment takes the address before its service can be seen: that one is waited
 * for. A server that died in between has left the address to nobody: it is given back and taken again.
 */
async function createPatiently(
  store: ResourceStore,
  options: KubernetesServiceOptions,
  service: object,
): Promise<void> {
  const deadlineMs = performance.now() + (options.patienceMs ?? PATIENCE_MS);
  for (;;) {
    try {
      return await createOwnIfAbsent(store, service);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      if (performance.now() > deadlineMs) {
        if (await isHeld(store, options.clusterIp)) throw error;
        break;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  await options.releaseClusterIp();
  await createOwnIfAbsent(store, service);
}

async function isHeld(store: ResourceStore, clusterIp: string): Promise<boolean> {
  const { objects } = await listObjects(store, { scope: store.scopeOf(''), limit: 0 }, { kind: 'consistent' });
  return objects.some((found) => (found.object() as Service).spec.clusterIP === clusterIp);
}
