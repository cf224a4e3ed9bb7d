import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ipAddresses } from '../../api/networking/tokens.ts';
import { readThrough } from '../../storage/cacher/cacher.ts';
import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import { parseIp } from '../../apimachinery/names/ip.ts';
import type { IPAddress } from '../../generated/types/networking-v1.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { StoreAccess } from '../store-access.ts';
import type { AddressRange } from './address-range.ts';
import {
  AllocationError,
  countAllocation,
  newAllocationCounts,
  RANGE_FULL,
  type Allocator,
  type Holder,
} from './allocator.ts';
import { addressName, createIpAddress, deleteIpAddress, serviceOf } from './ip-address-objects.ts';
import { OtherRangeError, type RangeAllocator } from './range-allocator.ts';
import type { ServiceCidrRange, ServiceCidrRanges } from './service-cidr-ranges.ts';

const NO_RANGE = 'the provided network does not match the current range';
/** How often, and after how long each time, a mark is checked again whose address this server has. */
const MARK_LOOKS = 4;
const MARK_LOOK_MS = 20;
/** Addresses checked in one turn of the event loop. */
const LOOKS_PER_TURN = 1000;

export interface ClusterIpAllocatorOptions {
  readonly family: IpFamily;
  readonly stores: StoreAccess;
  readonly ranges: ServiceCidrRanges;
  /** The bitmap that servers of earlier releases read. */
  readonly bitmap: RangeAllocator<string>;
  /** Uniform in [0, 1); default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Allocates the addresses of one family. An address is taken by creating its IPAddress object, which the store does for
 * one server only, and at the same time marked in the bitmap by which servers of earlier releases allocate (decision
 * 11). A server that set the mark and did not get the object clears it again; a server that has the object and finds
 * the
 * mark set waits for that a little, and then knows that an earlier server has the address.
 */
export class ClusterIpAllocator implements Allocator<string> {
  readonly family: IpFamily;
  readonly bitmap: RangeAllocator<string>;
  readonly taken: string;
  private readonly stores: StoreAccess;
  private readonly ranges: ServiceCidrRanges;
  private readonly random: () => number;
  /** Addresses that this process is about to take. */
  private readonly pending = new Set<string>();
  /** For failures that belong to no range. */
  private readonly elsewhere = newAllocationCounts();

  constructor({ family, stores, ranges, bitmap, random = Math.random }: ClusterIpAllocatorOptions) {
    this.family = family;
    this.stores = stores;
    this.ranges = ranges;
    this.bitmap = bitmap;
    this.taken = bitmap.taken;
    this.random = random;
  }

  async allocate(ip: string, holder: Holder): Promise<void> {
    const { name, counts } = this.usable(ip);
    const beginMs = performance.now();
    await countAllocation(counts.static, async () => {
      if (!(await this.claim(name, holder))) throw new AllocationError(this.taken);
    }).finally(() => counts.times.since(beginMs));
  }

  async allocateNext(holder: Holder): Promise<string> {
    const beginMs = performance.now();
    for (const { range, counts } of this.open()) {
      for await (const name of this.free(range)) {
        if (!(await this.claim(name, holder))) continue;
        counts.dynamic.allocated++;
        counts.times.since(beginMs);
        return name;
      }
    }
    (this.ranges.ready(this.family)[0]?.counts ?? this.elsewhere).dynamic.failed++;
    throw new AllocationError(RANGE_FULL);
  }

  async checkFree(ip: string): Promise<void> {
    const { name } = this.usable(ip);
    const isTaken =
      (await this.addresses.newest(this.addresses.keyOf('', name))) !== undefined || (await this.bitmap.isTaken(name));
    if (isTaken) throw new AllocationError(this.taken);
  }

  async peekNext(besides: readonly string[]): Promise<string> {
    for (const { range } of this.open()) {
      for await (const name of this.free(range)) if (!besides.includes(name)) return name;
    }
    throw new AllocationError(RANGE_FULL);
  }

  async isHeld(ip: string, holder: Holder): Promise<boolean> {
    const { addresses } = this;
    const name = addressName(ip) ?? '';
    const stored = await readThrough(addresses.cacher, addresses.cache, addresses.keyOf('', name));
    return stored !== undefined && isHeldBy(stored.object(), holder);
  }

  /** `holder` undefined: of any holder. */
  async release(ips: readonly string[], holder: Holder | undefined): Promise<void> {
    for (const ip of ips) {
      const name = addressName(ip);
      if (name === undefined) continue;
      const address = await this.addressOf(name);
      if (address !== undefined && holder !== undefined && !isHeldBy(address, holder)) continue;
      await Promise.all([
        unlessOtherRange(this.bitmap.release([name])),
        address === undefined ? undefined : deleteIpAddress(this.addresses, address),
      ]);
    }
  }

  private get addresses(): ResourceStore<IPAddress> {
    return this.stores(ipAddresses);
  }

  /** Ranges with room. */
  private open(): ServiceCidrRange[] {
    return this.ranges.ready(this.family).filter(({ range, taken }) => taken < range.size);
  }

  /** The name of an address that may be requested, with the counts of a range that has it. */
  private usable(ip: string): { name: string; counts: ServiceCidrRange['counts'] } {
    const address = parseIp(ip);
    const entry =
      address === undefined ? undefined : this.ranges.ready(this.family).find(({ range }) => range.has(address));
    if (entry !== undefined) return { name: addressName(ip)!, counts: entry.counts };
    this.elsewhere.static.failed++;
    const near =
      address === undefined ? undefined : this.ranges.ready(this.family).find(({ range }) => range.covers(address));
    throw new AllocationError(
      near === undefined
        ? NO_RANGE
        : `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${near.range.text}`,
    );
  }

  /** False when the address is taken. */
  private async claim(name: string, holder: Holder): Promise<boolean> {
    this.pending.add(name);
    try {
      const marking = this.mark(name);
      // Checked below, and perhaps too late for the runtime.
      marking.catch(() => undefined);
      const isOwn = await createIpAddress(this.addresses, name, holder);
      const isMarked = await marking;
      if (isOwn && (isMarked || (await this.markPatiently(name)))) return true;
      if (isOwn) await this.deleteOwn(name, holder);
      else if (isMarked) await unlessOtherRange(this.bitmap.release([name]));
      return false;
    } finally {
      this.pending.delete(name);
    }
  }

  /** True where there is no bitmap to mark. */
  private async mark(name: string): Promise<boolean> {
    return (await unlessOtherRange(this.bitmap.mark(name))) ?? true;
  }

  /**
   * Another server that tried to take the address, or released it, may be about to clear its mark; if none does, a
   * server of an earlier release has it.
   */
  private async markPatiently(name: string): Promise<boolean> {
    for (let look = 0; look < MARK_LOOKS; look++) {
      await sleep(MARK_LOOK_MS);
      if (await this.mark(name)) return true;
    }
    return false;
  }

  private async deleteOwn(name: string, holder: Holder): Promise<void> {
    const address = await this.addressOf(name);
    if (address !== undefined && isHeldBy(address, holder)) await deleteIpAddress(this.addresses, address);
  }

  private async addressOf(name: string): Promise<IPAddress | undefined> {
    return (await this.addresses.newest(this.addresses.keyOf('', name)))?.object();
  }

  /** The free addresses of a range, those reserved for names last; each part from a random offset on. */
  private async *free(range: AddressRange): AsyncGenerator<string> {
    const { cache } = this.addresses;
    let looks = 0;
    for (const offset of this.offsets(range)) {
      if (++looks % LOOKS_PER_TURN === 0) await nextTurn();
      const name = range.itemAt(offset);
      if (
        this.pending.has(name) ||
        this.bitmap.seemsTaken(name) ||
        cache.newest(`${cache.prefix}${name}`) !== undefined
      )
        continue;
      yield name;
    }
  }

  private *offsets({ size, reserved }: AddressRange): Generator<number> {
    for (const [from, to] of [
      [reserved, size],
      [0, reserved],
    ] as const) {
      const start = from + Math.floor(this.random() * (to - from));
      for (let offset = start; offset < to; offset++) yield offset;
      for (let offset = from; offset < start; offset++) yield offset;
    }
  }
}

function isHeldBy(address: IPAddress, holder: Holder): boolean {
  const service = serviceOf(address);
  return service?.namespace === holder.namespace && service.name === holder.name;
}

/** While servers are configured with different ranges the bitmap is of one of them: the others do without it. */
async function unlessOtherRange<R>(change: Promise<R>): Promise<R | undefined> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof OtherRangeError) return undefined;
    throw error;
  }
}
