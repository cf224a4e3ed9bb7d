import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { IPAddress } from '../../generated/types/networking-v1.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { AllocationEvent } from './allocation-event.ts';
import type { Holder } from './allocator.ts';
import { confirm, type Held, type HeldByServices, type HeldIp } from './held-by-services.ts';
import {
  createIpAddress,
  deleteIpAddress,
  familyOfName,
  hasAllocatorLabels,
  isManaged,
  serviceOf,
} from './ip-address-objects.ts';
import type { Leaks } from './leaks.ts';
import type { ServiceAllocators } from './service-allocators.ts';

/** Objects written at once. */
const WRITES_AT_ONCE = 32;
const ADDRESSES_PER_TURN = 1000;

export interface IpAddressRepairOptions {
  readonly addresses: ResourceStore<IPAddress>;
  readonly held: HeldByServices;
  readonly allocators: ServiceAllocators;
  /** Of the names of addresses. */
  readonly leaks: Leaks<string>;
  /** Called with each problem, as often as it is found. */
  readonly tell: (event: AllocationEvent) => void;
}

/** The content of an IPAddress, cached so that each of its states is decoded once. */
interface Known {
  readonly isManaged: boolean;
  readonly service: Holder | undefined;
}

type Write = () => Promise<void>;

/**
 * Reconciles the IPAddress objects and the services: each address of a service has an object that refers to it, and
 * each object of an allocator refers to a service that has the address.
 */
export class IpAddressRepair {
  private readonly options: IpAddressRepairOptions;
  private readonly known = new WeakMap<object, Known>();

  constructor(options: IpAddressRepairOptions) {
    this.options = options;
  }

  async runOnce(): Promise<void> {
    const writes: Write[] = [];
    await confirm(this.options.addresses);
    for await (const held of this.options.held.all()) {
      for (const ip of held.ips) this.checkHeld(ip, held, writes);
    }
    await this.checkAddresses(writes);
    while (writes.length > 0) await Promise.all(writes.splice(0, WRITES_AT_ONCE).map((write) => write()));
  }

  /** Addresses of objects that no allocator made: of gateways, for instance. */
  *foreign(): Generator<string> {
    for (const cached of this.options.addresses.cache.snapshot().values())
      if (!this.of(cached).isManaged) yield cached.name;
  }

  private checkHeld({ ip, name, family, address: bytes }: HeldIp, held: Held, writes: Write[]): void {
    const { addresses, allocators } = this.options;
    const { namespace, name: service } = held.service;
    const about = (): ApiObject => held.service.object();
    if (bytes === undefined)
      return this.tell(
        about,
        'ClusterIPNotValid',
        'ClusterIPValidation',
        `Cluster IP ${ip} is not a valid IP; please recreate Service`,
      );
    const shown = `[${family}]: ${name}`;
    if (!allocators.ranges.has(bytes))
      return this.tell(
        about,
        'ClusterIPOutOfRange',
        'ClusterIPAllocation',
        `Cluster IP ${shown} is not within any configured Service CIDR; please recreate service`,
      );
    const cached = addresses.cache.newest(addresses.keyOf('', name));
    const owner: Holder = { namespace, name: service };
    if (cached === undefined) {
      writes.push(async () => {
        // It may have been deleted since, and its address with it.
        if (this.holds(owner, name) && (await createIpAddress(addresses, name, owner)))
          this.tell(
            about,
            'ClusterIPNotAllocated',
            'ClusterIPAllocation',
            `Cluster IP ${shown} is not allocated; repairing`,
          );
      });
      return;
    }
    const known = this.of(cached).service;
    const isOwn = known?.namespace === namespace && known.name === service;
    if (!isOwn && known !== undefined && this.holds(known, name))
      return this.tell(
        about,
        'ClusterIPAlreadyAllocated',
        'ClusterIPAllocation',
        `Cluster IP ${shown} was assigned to multiple services; please recreate service`,
      );
    const address = cached.object();
    if (isOwn && hasAllocatorLabels(address)) return;
    writes.push(async () => {
      if (!this.holds(owner, name)) return;
      if (!isOwn)
        this.tell(
          about,
          'ClusterIPNotAllocated',
          'ClusterIPAllocation',
          `the ClusterIP ${shown} for Service ${namespace}/${service} has a wrong reference; repairing`,
        );
      await deleteIpAddress(addresses, address);
      await createIpAddress(addresses, name, owner);
    });
  }

  private async checkAddresses(writes: Write[]): Promise<void> {
    const { addresses, leaks } = this.options;
    const unheld = new Map<string, () => IPAddress>();
    let count = 0;
    for (const cached of addresses.cache.snapshot().values()) {
      if (++count % ADDRESSES_PER_TURN === 0) await nextTurn();
      const { isManaged, service } = this.of(cached);
      const read = (): IPAddress => cached.object();
      if (!isManaged || (service !== undefined && this.holds(service, cached.name))) continue;
      if (service === undefined) writes.push(() => this.cleanUp(read(), undefined));
      else unheld.set(cached.name, read);
    }
    for (const name of leaks.due(unheld.keys())) {
      const address = unheld.get(name)!();
      writes.push(() => this.cleanUp(address, serviceOf(address)));
    }
  }

  private async cleanUp(address: IPAddress, service: Holder | undefined): Promise<void> {
    const { addresses, allocators, held } = this.options;
    const name = address.metadata.name ?? '';
    const about = (): ApiObject => address;
    if (service === undefined)
      this.tell(
        about,
        'IPAddressNotAllocated',
        'IPAddressAllocation',
        `IPAddress ${name} appears to have been modified, not referencing a Service: cleaning up`,
      );
    else if (held.find(service.namespace, service.name) === undefined)
      this.tell(
        about,
        'IPAddressNotAllocated',
        'IPAddressAllocation',
        `IPAddress: ${name} for Service ${service.namespace}/${service.name} appears to have leaked: cleaning up`,
      );
    else
      this.tell(
        about,
        'IPAddressWrongReference',
        'IPAddressAllocation',
        `IPAddress: ${name} for Service ${service.namespace}/${service.name} has a wrong reference; cleaning up`,
      );
    const allocator = allocators.clusterIps.get(familyOfName(name));
    if (allocator === undefined || service === undefined) await deleteIpAddress(addresses, address);
    else await allocator.release([name], service);
  }

  private holds({ namespace, name }: Holder, address: string): boolean {
    return this.options.held.find(namespace, name)?.ips.some((held) => held.name === address) === true;
  }

  private tell(about: () => ApiObject, reason: string, action: string, message: string): void {
    this.options.tell({ about: about(), reason, action, message });
  }

  private of(cached: CachedObject<IPAddress>): Known {
    let known = this.known.get(cached);
    if (known === undefined) {
      const address = cached.object();
      known = { isManaged: isManaged(address), service: serviceOf(address) };
      this.known.set(cached, known);
    }
    return known;
  }
}
