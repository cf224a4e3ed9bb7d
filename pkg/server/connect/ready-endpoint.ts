import { endpoints, pods } from '../../api/core/tokens.ts';
import { parseIp } from '../../apimachinery/names/ip.ts';
import { isNotFound, serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import type { EndpointAddress } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { isRoutable } from '../connections/routable-address.ts';

/** The service in a proxy request. */
export interface NamedService {
  /** `name`, `name:port` or `scheme:name:port`, as sent. */
  readonly id: string;
  readonly name: string;
  /** Empty for the one port without a name. */
  readonly portName: string;
}

export interface ReadyEndpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * One of a service's ready endpoints, at random. It must be a pod of the same namespace that has this address itself: a
 * user who may write endpoints must not reach everything that the server reaches. Throws 404 without endpoints, 503
 * where none is ready.
 */
export async function readyEndpoint(
  stores: StoreAccess,
  namespace: string,
  { id, name, portName }: NamedService,
): Promise<ReadyEndpoint> {
  const { subsets = [] } = (await getObject(stores(endpoints), namespace, name, { kind: 'consistent' })).object();
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  for (const subset of fromAnywhere(subsets)) {
    for (const port of (subset.ports ?? []).filter((p) => (p.name ?? '') === portName)) {
      for (const address of fromAnywhere(subset.addresses ?? [])) {
        if (await isPod(stores, namespace, address)) return { address: address.ip, port: port.port };
      }
    }
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`);
}

async function isPod(stores: StoreAccess, namespace: string, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  const address = parseIp(ip);
  if (
    targetRef?.name === undefined ||
    targetRef.namespace !== namespace ||
    address === undefined ||
    !isRoutable(address)
  )
    return false;
  try {
    const { status } = (await getObject(stores(pods), namespace, targetRef.name, { kind: 'any' })).object();
    return status.podIP === ip || (status.podIPs ?? []).some((podIp) => podIp.ip === ip);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** All items, beginning with a random one. */
function fromAnywhere<T>(items: readonly T[]): readonly T[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
