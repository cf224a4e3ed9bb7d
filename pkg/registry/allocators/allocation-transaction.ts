import type { Reservation } from '../resource-hooks.ts';
import { AllocationError, type Allocator, type Holder } from './allocator.ts';

// `any`: a transaction holds items of ranges of different types; each list belongs to its allocator.
type Items = Map<Allocator<any>, Set<unknown>>;

/**
 * What one write takes for `holder` and gives back: taken at once, so that nobody else gets it, and given back when the write is stored. A dry run
 * finds out whether it could take and takes nothing. Neither `commit` nor `rollback` fails: what is left behind the repair finds.
 */
export class AllocationTransaction implements Reservation {
  private readonly holder: Holder;
  private readonly dryRun: boolean;
  private readonly onError: (error: unknown) => void;
  private readonly taken: Items = new Map();
  private readonly dropped: Items = new Map();

  constructor(holder: Holder, dryRun: boolean, onError: (error: unknown) => void) {
    this.holder = holder;
    this.dryRun = dryRun;
    this.onError = onError;
  }

  /** Throws `AllocationError`. */
  async take<T>(allocator: Allocator<T>, item: T): Promise<void> {
    if (!this.dryRun) await allocator.allocate(item, this.holder);
    else if (this.taken.get(allocator)?.has(item) === true) throw new AllocationError(allocator.taken);
    else await allocator.checkFree(item);
    put(this.taken, allocator, item);
  }

  /** Throws `AllocationError`. */
  async takeNext<T>(allocator: Allocator<T>): Promise<T> {
    const item = this.dryRun ? await allocator.peekNext([...(this.taken.get(allocator) ?? [])] as T[]) : await allocator.allocateNext(this.holder);
    put(this.taken, allocator, item);
    return item;
  }

  /** Gives the item back once the write is stored. */
  drop<T>(allocator: Allocator<T>, item: T): void {
    put(this.dropped, allocator, item);
  }

  commit(): Promise<void> {
    return this.release(this.dropped);
  }

  rollback(): Promise<void> {
    return this.release(this.taken);
  }

  private async release(items: Items): Promise<void> {
    if (this.dryRun) return;
    for (const [allocator, list] of items) {
      try {
        await allocator.release([...list], this.holder);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}

function put(items: Items, allocator: Allocator<any>, item: unknown): void {
  const list = items.get(allocator);
  if (list === undefined) items.set(allocator, new Set([item]));
  else list.add(item);
}
