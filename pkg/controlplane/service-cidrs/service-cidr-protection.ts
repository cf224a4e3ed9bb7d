import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseIp } from '../../apimachinery/names/ip.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { IPAddress, ServiceCIDR } from '../../generated/types/networking-v1.ts';
import { AddressRange } from '../../registry/allocators/address-range.ts';
import { IP_ADDRESSES, isManaged, SERVICE_CIDRS } from '../../registry/allocators/ip-address-objects.ts';
import { changeOwn } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { GatheredRounds } from '../gathered-rounds.ts';
import { readyCondition, setReady } from './ready-condition.ts';

export const SERVICE_CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

/** How often those that are being deleted are looked at: what holds them is other objects. */
const DELETION_CHECK_MS = 1000;
/** All servers know of a deletion, and take no more addresses, before the object goes. */
const DELETION_GRACE_MS = 10_000;
const ADDRESSES_PER_TURN = 1000;

const IN_USE =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';

export interface ServiceCidrProtectionOptions {
  readonly stores: StoreAccess;
  readonly onError: (error: unknown) => void;
  /** For tests. */
  readonly deletionGraceMs?: number;
}

/**
 * Keeps a ServiceCIDR for as long as an address of a service lies in it and in no other, and says of every ServiceCIDR
 * whether it is ready, as the controller manager's controller of ServiceCIDRs does; needed until one runs. Several
 * servers may do it at once: all come to the same.
 */
export class ServiceCidrProtection {
  private readonly cidrs: ResourceStore;
  private readonly addresses: ResourceStore;
  private readonly onError: (error: unknown) => void;
  private readonly deletionGraceMs: number;
  private readonly rounds: GatheredRounds;

  constructor({ stores, onError, deletionGraceMs = DELETION_GRACE_MS }: ServiceCidrProtectionOptions) {
    this.cidrs = stores(SERVICE_CIDRS);
    this.addresses = stores(IP_ADDRESSES);
    this.onError = onError;
    this.deletionGraceMs = deletionGraceMs;
    this.rounds = new GatheredRounds(() => this.reconcileAll(), onError);
    const changed = (): void => this.rounds.schedule();
    this.cidrs.cache.listen({ reset: changed, changed });
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async reconcileAll(): Promise<void> {
    const all = [...this.cidrs.cache.snapshot().values()].map((cached) => cached.object() as ServiceCIDR);
    for (const cidr of all) {
      if (this.rounds.stopped) return;
      try {
        await this.reconcile(cidr, all);
      } catch (error) {
        if (!isNotFound(error)) this.onError(error);
      }
    }
    if (all.some(isBeingDeleted)) this.rounds.schedule(DELETION_CHECK_MS);
  }

  private async reconcile(cidr: ServiceCIDR, all: readonly ServiceCIDR[]): Promise<void> {
    const { name = '', finalizers = [], deletionTimestamp } = cidr.metadata;
    if (deletionTimestamp === undefined) {
      if (!finalizers.includes(SERVICE_CIDR_FINALIZER))
        await this.changeFinalizers(name, (before) => [...before, SERVICE_CIDR_FINALIZER]);
      if (readyCondition(cidr) === undefined)
        await setReady(this.cidrs, name, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' });
      return;
    }
    if (!finalizers.includes(SERVICE_CIDR_FINALIZER)) return;
    if (await this.isInUse(cidr, all)) {
      const condition = readyCondition(cidr);
      if (condition?.reason !== 'Terminating')
        await setReady(this.cidrs, name, { status: 'False', reason: 'Terminating', message: IN_USE });
    } else if (Date.now() - Date.parse(deletionTimestamp) >= this.deletionGraceMs) {
      await this.changeFinalizers(name, (before) => before.filter((finalizer) => finalizer !== SERVICE_CIDR_FINALIZER));
    }
  }

  private changeFinalizers(name: string, change: (before: readonly string[]) => string[]): Promise<void> {
    return changeOwn<ServiceCIDR>(this.cidrs, '', name, ({ metadata }) => {
      const before = metadata.finalizers ?? [];
      // Another server may have been faster.
      if (metadata.deletionTimestamp !== undefined || !before.includes(SERVICE_CIDR_FINALIZER))
        metadata.finalizers = change(before);
    });
  }

  /** Others that are being deleted too are no help: all of them could go at once. */
  private async isInUse(cidr: ServiceCIDR, all: readonly ServiceCIDR[]): Promise<boolean> {
    const own = rangesOf(cidr);
    const others = all.filter((other) => other !== cidr && !isBeingDeleted(other)).flatMap(rangesOf);
    const exposed = own.filter((range) => !others.some((other) => other.contains(range)));
    if (exposed.length === 0) return false;
    await this.addresses.cacher.fresh();
    let count = 0;
    for (const cached of this.addresses.cache.snapshot().values()) {
      if (++count % ADDRESSES_PER_TURN === 0) await nextTurn();
      const address = parseIp(cached.name);
      if (
        address === undefined ||
        !exposed.some((range) => range.has(address)) ||
        others.some((range) => range.has(address))
      )
        continue;
      if (isManaged(cached.object() as IPAddress)) return true;
    }
    return false;
  }
}

function isBeingDeleted({ metadata }: ServiceCIDR): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function rangesOf({ spec }: ServiceCIDR): AddressRange[] {
  return (spec.cidrs ?? []).flatMap((text) => AddressRange.parse(text) ?? []);
}
