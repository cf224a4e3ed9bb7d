import { ipAddresses } from '../../api/networking/tokens.ts';
import { services } from '../../api/core/tokens.ts';
import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { StoreAccess } from '../store-access.ts';
import { recordAllocationEvent, type AllocationEvent } from './allocation-event.ts';
import { HeldByServices } from './held-by-services.ts';
import { IpAddressRepair } from './ip-address-repair.ts';
import { Leaks } from './leaks.ts';
import { repairRange, type HeldItem, type RangeProblem } from './range-repair.ts';
import type { ServiceAllocators } from './service-allocators.ts';

/**
 * How long an item must be without a holder before it is released: longer than webhooks and a write of the store can
 * take together.
 */
const GRACE_MS = 45_000;
/** Longest time between two rounds of few services. With the grace period it stays below a minute. */
const QUIET_MS = 5000;
/**
 * The pause after a round, as a multiple of its duration: however many services change, repair takes little of the
 * processor.
 */
const PAUSE_FACTOR = 30;

export interface AllocationRepairOptions {
  readonly stores: StoreAccess;
  readonly allocators: ServiceAllocators;
  /** Called with each problem, repaired or not; once for as long as it lasts. */
  readonly onProblem: (text: string) => void;
  /** A monotonic clock in milliseconds; for tests. */
  readonly nowMs?: () => number;
}

/**
 * Reconciles allocations with the services that exist: IPAddress objects, the bitmaps of cluster IPs that servers of
 * earlier releases read, and node ports. Every server does it; what one has repaired the others find in order.
 */
export class AllocationRepair {
  private readonly options: AllocationRepairOptions;
  private readonly nowMs: () => number;
  private readonly held: HeldByServices;
  private readonly ipAddresses: IpAddressRepair;
  private readonly markLeaks: ReadonlyMap<IpFamily, Leaks<number>>;
  private readonly portLeaks: Leaks<number>;
  /** Problems of the last round, by their text: each is reported once. */
  private told = new Set<string>();
  private found = new Set<string>();
  private events: Promise<void>[] = [];
  private hasChanged = true;
  private lastRoundMs = 0;
  private roundMs = 0;

  constructor(options: AllocationRepairOptions) {
    const { stores, allocators } = options;
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.held = new HeldByServices(stores(services));
    this.markLeaks = new Map([...allocators.clusterIps.keys()].map((family) => [family, this.newLeaks<number>()]));
    this.portLeaks = this.newLeaks();
    this.ipAddresses = new IpAddressRepair({
      addresses: stores(ipAddresses),
      held: this.held,
      allocators,
      leaks: this.newLeaks(),
      tell: (event) => this.tell(event),
    });
    for (const store of [stores(services), stores(ipAddresses)]) this.listen(store);
  }

  /** A round, if something has changed or the last one is a while ago. Rejects when the store does. */
  async runWhenDue(): Promise<void> {
    const pauseMs = this.nowMs() - this.lastRoundMs;
    if (pauseMs < Math.min(this.roundMs * PAUSE_FACTOR, QUIET_MS) || (!this.hasChanged && pauseMs < QUIET_MS)) return;
    const begin = this.nowMs();
    await this.runOnce();
    this.roundMs = this.nowMs() - begin;
  }

  /** One round. Rejects when the store does. */
  async runOnce(): Promise<void> {
    const { clusterIps, nodePorts } = this.options.allocators;
    this.hasChanged = false;
    this.lastRoundMs = this.nowMs();
    this.found = new Set();
    await this.ipAddresses.runOnce();
    for (const [family, { bitmap }] of clusterIps) {
      await repairRange({
        allocator: bitmap,
        held: () => this.heldIps(family),
        leaks: this.markLeaks.get(family)!,
        tell: (problem, ip, holder) => this.tellOfIp(problem, ip, holder),
      });
    }
    await repairRange({
      allocator: nodePorts,
      held: () => this.heldPorts(),
      leaks: this.portLeaks,
      tell: (problem, port, holder) => this.tellOfPort(problem, port, holder),
    });
    this.told = this.found;
    await Promise.all(this.events.splice(0));
  }

  private newLeaks<T>(): Leaks<T> {
    return new Leaks(GRACE_MS, this.nowMs);
  }

  private listen(store: ResourceStore): void {
    const changed = (): void => {
      this.hasChanged = true;
    };
    store.cache.listen({ reset: changed, changed });
  }

  private async *heldIps(family: IpFamily): AsyncGenerator<HeldItem<string>> {
    const { range } = this.options.allocators.clusterIps.get(family)!.bitmap;
    const seen = new Set<string>();
    for await (const { service, ips } of this.held.all()) {
      for (const { name, family: own } of ips) {
        // Other ranges have no bitmap, and the repair of the IPAddress objects reports duplicates.
        if (own !== family || seen.has(name) || range.offsetOf(name) === undefined) continue;
        seen.add(name);
        yield { item: name, holder: `${service.namespace}/${service.name}` };
      }
    }
    for (const name of this.ipAddresses.foreign())
      if (!seen.has(name) && range.offsetOf(name) !== undefined) yield { item: name, holder: '' };
  }

  private async *heldPorts(): AsyncGenerator<HeldItem<number>> {
    for await (const { service, nodePorts } of this.held.all()) {
      for (const item of nodePorts) yield { item, holder: `${service.namespace}/${service.name}` };
    }
  }

  /** The repair of the objects reports the same in events: that of the bitmap only logs it. */
  private tellOfIp(problem: RangeProblem, ip: string, holder: string): void {
    if (problem === 'leaked') this.report(`${ip} was marked as allocated and belongs to no service; released`);
    if (problem === 'not allocated')
      this.report(`${ip}${holder === '' ? '' : ` of service ${holder}`} was not marked as allocated; repaired`);
  }

  private tellOfPort(problem: RangeProblem, port: number, holder: string): void {
    const { range } = this.options.allocators.nodePorts;
    const [namespace = '', name = ''] = holder.split('/');
    const about = this.held.find(namespace, name)?.service.object();
    if (about === undefined) {
      this.report(`node port ${port} was allocated to no service; released`);
      return;
    }
    const event = (reason: string, message: string): void =>
      this.tell({ about, reason, action: 'PortAllocation', message });
    if (problem === 'outside')
      event('PortOutOfRange', `Port ${port} is not within the port range ${range.text}; please recreate service`);
    if (problem === 'twice')
      event('PortAlreadyAllocated', `Port ${port} was assigned to multiple services; please recreate service`);
    if (problem === 'not allocated') event('PortNotAllocated', `Port ${port} is not allocated; repairing`);
  }

  private tell(event: AllocationEvent): void {
    const { namespace, name = '' } = event.about.metadata;
    if (this.report(`${event.about.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${event.message}`)) {
      this.events.push(
        recordAllocationEvent(this.options.stores, event).catch((error: unknown) =>
          this.options.onProblem(`no event could be stored: ${String(error)}`),
        ),
      );
    }
  }

  /** Whether it is new. */
  private report(text: string): boolean {
    this.found.add(text);
    if (this.told.has(text)) return false;
    this.told.add(text);
    this.options.onProblem(text);
    return true;
  }
}
