import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import { formatIp, parseIp } from '../../apimachinery/names/ip.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ResourceStore } from '../resource-store.ts';
import { heldClusterIps } from './service-cluster-ips.ts';
import { heldNodePorts } from './service-node-ports.ts';

/** An address of a service. */
export interface HeldIp {
  /** As the service has it. */
  readonly ip: string;
  readonly family: IpFamily;
  /** Undefined where it is no address. */
  readonly address: Uint8Array | undefined;
  /** The canonical form, in which the address is a name. */
  readonly name: string;
}

/** The addresses and ports of one service. */
export interface Held {
  readonly service: CachedObject<Service>;
  readonly ips: readonly HeldIp[];
  readonly nodePorts: readonly number[];
}

const SERVICES_PER_TURN = 500;
/** Each waits for the feed for some seconds. */
const CONFIRM_ATTEMPTS_MAX = 5;

/** The addresses and ports of all services, in the order of their names; each state of a service is decoded once. */
export class HeldByServices {
  private readonly services: ResourceStore<Service>;
  private readonly known = new WeakMap<CachedObject<Service>, Held>();

  constructor(services: ResourceStore<Service>) {
    this.services = services;
  }

  /** As of now: includes every write that was acknowledged before the call. Rejects when the store does not answer. */
  async *all(): AsyncGenerator<Held> {
    await confirm(this.services);
    let count = 0;
    for (const service of this.services.cache.snapshot().values()) {
      yield this.of(service);
      if (++count % SERVICES_PER_TURN === 0) await nextTurn();
    }
  }

  /** The service in the cache; undefined where there is none. */
  find(namespace: string, name: string): Held | undefined {
    const service = this.services.cache.newest(this.services.keyOf(namespace, name));
    return service === undefined ? undefined : this.of(service);
  }

  private of(service: CachedObject<Service>): Held {
    let held = this.known.get(service);
    if (held === undefined) {
      const object = service.object();
      held = { service, ips: heldClusterIps(object).map(heldIp), nodePorts: heldNodePorts(object) };
      this.known.set(service, held);
    }
    return held;
  }
}

function heldIp({ ip, family }: { ip: string; family: IpFamily }): HeldIp {
  const address = parseIp(ip);
  return { ip, family, address, name: address === undefined ? '' : formatIp(address) };
}

/** Waits until the resource's cache shows every write that was acknowledged before. */
export async function confirm(store: ResourceStore): Promise<void> {
  for (let attempt = 0; attempt < CONFIRM_ATTEMPTS_MAX; attempt++) if (await store.cacher.fresh()) return;
  throw new Error(`the cache of ${store.definition.resource} is behind the store`);
}
