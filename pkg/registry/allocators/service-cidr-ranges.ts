import { ipAddresses, serviceCidrs } from '../../api/networking/tokens.ts';
import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import { parseIp } from '../../apimachinery/names/ip.ts';
import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { StoreAccess } from '../store-access.ts';
import { newAllocationCounts, type AllocationCounts } from './allocator.ts';
import { AddressRange } from './address-range.ts';

/** The ServiceCIDR of `--service-cluster-ip-range`. */
const DEFAULT_SERVICE_CIDR = 'kubernetes';

/** One CIDR in use, of any number of ServiceCIDRs. */
export interface ServiceCidrRange {
  readonly range: AddressRange;
  /** Addresses may be allocated from it: one of its ServiceCIDRs is ready and not being deleted. */
  readonly isReady: boolean;
  /** How many of its addresses are taken. */
  taken: number;
  readonly counts: AllocationCounts;
}

/**
 * The CIDRs of all ServiceCIDRs with their taken addresses, kept by the events of the caches: an allocation reads
 * nothing else. A ServiceCIDR without a Ready condition counts as ready, since there may be no controller to set it.
 */
export class ServiceCidrRanges {
  private readonly stores: StoreAccess;
  /** In the order of use: those of the default ServiceCIDR first, the others by name. */
  private byText: ReadonlyMap<string, ServiceCidrRange> = new Map();
  private isCurrent = false;
  private readonly addresses = new Set<string>();
  private readonly countsByText = new Map<string, AllocationCounts>();
  private isListening = false;

  constructor(stores: StoreAccess) {
    this.stores = stores;
  }

  /** The ranges from which addresses of the family are allocated. */
  ready(family: IpFamily): ServiceCidrRange[] {
    return this.all().filter(({ range, isReady }) => isReady && range.family === family && range.isUsable);
  }

  /** Whether the address lies in any ServiceCIDR, ready or not. */
  has(address: Uint8Array): boolean {
    return this.all().some(({ range }) => range.has(address));
  }

  all(): ServiceCidrRange[] {
    this.listen();
    if (!this.isCurrent) this.byText = this.read();
    this.isCurrent = true;
    return [...this.byText.values()];
  }

  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    const forget = (): void => {
      this.isCurrent = false;
    };
    this.stores(serviceCidrs).cache.listen({ reset: forget, changed: forget });
    this.stores(ipAddresses).cache.listen({
      reset: (objects) => {
        this.addresses.clear();
        for (const { name } of objects) this.addresses.add(name);
        this.byText = new Map();
        forget();
      },
      changed: ({ name }, removed) => this.count(name, removed),
    });
  }

  private count(name: string, removed: boolean): void {
    if (removed ? !this.addresses.delete(name) : this.addresses.has(name)) return;
    if (!removed) this.addresses.add(name);
    const address = parseIp(name);
    if (address === undefined) return;
    for (const entry of this.byText.values()) if (entry.range.has(address)) entry.taken += removed ? -1 : 1;
  }

  /** Reads all ServiceCIDRs: they are few, and seldom change. */
  private read(): Map<string, ServiceCidrRange> {
    const found = new Map<string, { range: AddressRange; isReady: boolean }>();
    for (const cidr of inOrderOfUse(this.stores(serviceCidrs).cache.snapshot().values())) {
      for (const text of cidr.spec.cidrs ?? []) {
        const range = AddressRange.parse(text);
        if (range === undefined) continue;
        const known = found.get(range.text);
        found.set(range.text, { range: known?.range ?? range, isReady: known?.isReady === true || isReady(cidr) });
      }
    }
    // Known ranges keep their counts: only a new range makes work that grows with the addresses.
    const taken = this.takenOf([...found].filter(([text]) => !this.byText.has(text)).map(([, { range }]) => range));
    return new Map(
      [...found].map(([text, entry]) => [
        text,
        { ...entry, taken: this.byText.get(text)?.taken ?? taken.get(entry.range)!, counts: this.countsOf(text) },
      ]),
    );
  }

  /** Those of a CIDR last as long as the process. */
  private countsOf(text: string): AllocationCounts {
    let counts = this.countsByText.get(text);
    if (counts === undefined) this.countsByText.set(text, (counts = newAllocationCounts()));
    return counts;
  }

  private takenOf(ranges: readonly AddressRange[]): Map<AddressRange, number> {
    const taken = new Map(ranges.map((range) => [range, 0]));
    if (ranges.length === 0) return taken;
    for (const name of this.addresses) {
      const address = parseIp(name);
      if (address === undefined) continue;
      for (const range of ranges) if (range.has(address)) taken.set(range, taken.get(range)! + 1);
    }
    return taken;
  }
}

function inOrderOfUse(objects: Iterable<CachedObject<ServiceCIDR>>): ServiceCIDR[] {
  const all = [...objects];
  const first = all.filter(({ name }) => name === DEFAULT_SERVICE_CIDR);
  return [...first, ...all.filter(({ name }) => name !== DEFAULT_SERVICE_CIDR)].map((cached) => cached.object());
}

/** Whether addresses are allocated from the ServiceCIDR. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status.conditions?.find(({ type }) => type === 'Ready')?.status !== 'False';
}
