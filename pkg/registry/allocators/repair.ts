import type { Service } from '../../generated/types/core-v1.ts';
import { listObjects } from '../read-objects.ts';
import type { ResourceStore } from '../resource-store.ts';
import { Bitmap } from './bitmap.ts';
import type { RangeAllocator } from './range-allocator.ts';
import type { ServiceAllocators } from './service-allocators.ts';
import { heldClusterIps } from './service-cluster-ips.ts';
import { heldNodePorts } from './service-node-ports.ts';

/** Rounds in which nobody was seen to hold an item before it is released: its holder may be about to be written. */
const ROUNDS_BEFORE_RELEASE = 3;
const ATTEMPTS_MAX = 16;
/** Services read in one turn of the event loop. */
const SERVICES_PER_TURN = 500;

export interface AllocationRepairOptions {
  readonly services: ResourceStore;
  readonly allocators: ServiceAllocators;
  /** Told what is wrong with services and was, or could not be, repaired. */
  readonly onProblem: (text: string) => void;
}

/** An item with the service that holds it. */
interface Held<T> {
  readonly item: T;
  readonly holder: string;
}

/**
 * Brings the stored allocations into line with the services that exist: what a service holds is taken, and what nobody has held for some
 * rounds is released. Makes the allocations of a store that has none, and those of a range that has been configured anew.
 */
export class AllocationRepair {
  private readonly options: AllocationRepairOptions;
  /** By allocator and offset: rounds that are left to an item without a holder. */
  private readonly leaks = new Map<object, Map<number, number>>();

  constructor(options: AllocationRepairOptions) {
    this.options = options;
  }

  /** One round. Rejects when the store does. */
  async runOnce(): Promise<void> {
    const { clusterIps, nodePorts } = this.options.allocators;
    for (const [family, allocator] of clusterIps) {
      await this.repair(allocator, (service) => heldClusterIps(service).filter((held) => held.family === family).map((held) => held.ip));
    }
    await this.repair(nodePorts, heldNodePorts);
  }

  private async repair<T>(allocator: RangeAllocator<T>, heldBy: (service: Service) => readonly T[]): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      // The allocation first: whatever is taken after this makes the replacement fail.
      const snapshot = await allocator.snapshot();
      const held = await this.allHeld(heldBy);
      const rebuilt = this.rebuild(allocator, snapshot.bitmap, held);
      const isCurrent = snapshot.revision > 0 && snapshot.text === allocator.range.text && rebuilt.bitmap.equals(snapshot.bitmap);
      if (!isCurrent && !(await allocator.replace(snapshot, rebuilt.bitmap))) continue;
      this.leaks.set(allocator, rebuilt.leaks);
      for (const problem of rebuilt.problems) this.options.onProblem(problem);
      return;
    }
    throw new Error(`the allocation of ${allocator.range.text} changes faster than it can be repaired`);
  }

  private async allHeld<T>(heldBy: (service: Service) => readonly T[]): Promise<Held<T>[]> {
    const { services } = this.options;
    const { objects } = await listObjects(services, { scope: services.scopeOf(''), limit: 0 }, { kind: 'consistent' });
    const all: Held<T>[] = [];
    for (const [i, object] of objects.entries()) {
      for (const item of heldBy(object.object() as Service)) all.push({ item, holder: `${object.namespace}/${object.name}` });
      if (i % SERVICES_PER_TURN === SERVICES_PER_TURN - 1) await new Promise(setImmediate);
    }
    return all;
  }

  private rebuild<T>(allocator: RangeAllocator<T>, stored: Bitmap, held: readonly Held<T>[]): { bitmap: Bitmap; leaks: Map<number, number>; problems: string[] } {
    const { range } = allocator;
    const bitmap = new Bitmap(range.size);
    const problems: string[] = [];
    for (const { item, holder } of held) {
      const offset = range.offsetOf(item);
      if (offset === undefined) problems.push(`${String(item)} of service ${holder} is not within the service range ${range.text}; please recreate the service`);
      else if (!bitmap.add(offset)) problems.push(`${String(item)} was assigned to multiple services, one of them ${holder}; please recreate it`);
      else if (!stored.has(offset)) problems.push(`${String(item)} of service ${holder} was not allocated; repaired`);
    }
    const leaks = new Map<number, number>();
    for (const offset of stored.offsets()) {
      if (bitmap.has(offset)) continue;
      const left = (this.leaks.get(allocator)?.get(offset) ?? ROUNDS_BEFORE_RELEASE) - 1;
      if (left <= 0) {
        problems.push(`${String(range.itemAt(offset))} was allocated to no service; released`);
        continue;
      }
      bitmap.add(offset);
      leaks.set(offset, left);
    }
    return { bitmap, leaks, problems };
  }
}
