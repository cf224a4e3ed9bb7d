import { internalError } from '../../apimachinery/errors/status-error.ts';
import type { Reservation } from '../resource-hooks.ts';
import { AllocationError, type Allocator, type Holder } from './allocator.ts';

/** After this long a write checks its items once more: the repairs of all servers leave an item alone for longer. */
export const CONFIRM_AFTER_MS = 20_000;

// `any`: a transaction holds items of ranges of different types; each list belongs to its allocator.
type Items = Map<Allocator<any>, Set<unknown>>;

/**
 * The items that one write takes for `holder` and releases: taken at once, so that no other write gets them, and
 * released when the write is stored. A dry run checks whether it could take them and takes nothing. Neither `commit`
 * nor `rollback` fails: the repair finds leftovers.
 */
export class AllocationTransaction implements Reservation {
  private readonly holder: Holder;
  private readonly dryRun: boolean;
  private readonly onError: (error: unknown) => void;
  private readonly nowMs: () => number;
  private readonly beganMs: number;
  private readonly taken: Items = new Map();
  private readonly dropped: Items = new Map();

  /** `nowMs`: a monotonic clock in milliseconds; for tests. */
  constructor(
    holder: Holder,
    dryRun: boolean,
    onError: (error: unknown) => void,
    nowMs: () => number = () => performance.now(),
  ) {
    this.holder = holder;
    this.dryRun = dryRun;
    this.onError = onError;
    this.nowMs = nowMs;
    this.beganMs = nowMs();
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
    const item = this.dryRun
      ? await allocator.peekNext([...(this.taken.get(allocator) ?? [])] as T[])
      : await allocator.allocateNext(this.holder);
    put(this.taken, allocator, item);
    return item;
  }

  /** Releases the item when the write is stored. */
  drop<T>(allocator: Allocator<T>, item: T): void {
    put(this.dropped, allocator, item);
  }

  /** Throws 500 when the repair of another server has released an item of this write. */
  async confirm(): Promise<void> {
    if (this.dryRun || this.nowMs() - this.beganMs < CONFIRM_AFTER_MS) return;
    for (const [allocator, list] of this.taken) {
      for (const item of list)
        if (!(await allocator.isHeld(item, this.holder)))
          throw internalError(
            `the allocation of ${String(item)} was released before the object was stored; please try again`,
          );
    }
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
