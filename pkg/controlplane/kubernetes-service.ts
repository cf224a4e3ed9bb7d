import { services } from '../api/core/tokens.ts';
import { deepCopy } from '../apimachinery/json/deep.ts';
import {
  NAME,
  NAMESPACE,
  serviceObject,
  type KubernetesServiceOptions,
} from '../controllers/kubernetes-service/service-object.ts';
import type { Service } from '../generated/types/core-v1.ts';
import { isInvalid } from '../apimachinery/errors/status-error.ts';
import { listObjects } from '../registry/read-objects.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { changeOwn, createOwnIfAbsent } from '../registry/own-writes.ts';

export interface StartServiceOptions extends KubernetesServiceOptions {
  /** Gives the address back that is taken without a service that has it. */
  readonly releaseClusterIp: () => Promise<void>;
  /** How long a service may take to appear whose address is taken, milliseconds. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 3000;
const LOOK_EVERY_MS = 50;

/**
 * Makes sure, before the server serves, that the service exists by which programs in the cluster reach its servers, and
 * that its ports and type are as configured; later changes by users count.
 */
export async function ensureKubernetesService(stores: StoreAccess, options: StartServiceOptions): Promise<void> {
  const store = stores(services);
  const wanted = serviceObject(options);
  await createPatiently(store, options, wanted);
  await changeOwn(store, NAMESPACE, NAME, ({ spec }) => {
    spec.type = wanted.spec.type;
    spec.ports = deepCopy(wanted.spec.ports);
  });
}

/**
 * Another server that starts at the same moment takes the address before its service can be seen: that one is waited
 * for. A server that died in between has left the address without a service: it is released and taken again.
 */
async function createPatiently(
  store: ResourceStore<Service>,
  options: StartServiceOptions,
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

async function isHeld(store: ResourceStore<Service>, clusterIp: string): Promise<boolean> {
  const { objects } = await listObjects(store, { scope: store.scopeOf(''), limit: 0 }, { kind: 'consistent' });
  return objects.some((found) => found.object().spec.clusterIP === clusterIp);
}
