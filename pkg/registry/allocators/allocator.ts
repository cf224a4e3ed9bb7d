import { DurationCounts } from '../../apimachinery/collections/duration-counts.ts';

/** An item cannot be allocated; the message is in words that clients know. */
export class AllocationError extends Error {}

export const RANGE_FULL = 'range is full';

/** The object that gets an item. */
export interface Holder {
  readonly namespace: string;
  readonly name: string;
}

/** Requests to this server: for items by name (`static`) and for any item (`dynamic`). */
export type AllocationScope = 'static' | 'dynamic';
export interface AllocationCount {
  allocated: number;
  failed: number;
}
export type AllocationCounts = Record<AllocationScope, AllocationCount> & {
  /** How long they took, without those that found nothing free. */
  readonly times: DurationCounts;
};

/** 1 ms to 1 s. */
const secondsBounds: readonly number[] = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024];

/**
 * Allocates items, each to one holder, among all servers on the same store. Rejects with `AllocationError`, or with the
 * store's errors: the item may then be taken without a holder.
 */
export interface Allocator<T> {
  /** The message for a taken item. */
  readonly taken: string;
  /** Takes this item. */
  allocate(item: T, holder: Holder): Promise<void>;
  /** Takes any free item. */
  allocateNext(holder: Holder): Promise<T>;
  /** Rejects where `allocate` would, and takes nothing. */
  checkFree(item: T): Promise<void>;
  /** An item that is free now and none of `besides`; takes nothing. */
  peekNext(besides: readonly T[]): Promise<T>;
  /** Whether an item that was taken for the holder is still taken for it. */
  isHeld(item: T, holder: Holder): Promise<boolean>;
  /** Releases items of this holder; items that it does not hold are skipped. */
  release(items: readonly T[], holder: Holder): Promise<void>;
}

export function newAllocationCounts(): AllocationCounts {
  return {
    static: { allocated: 0, failed: 0 },
    dynamic: { allocated: 0, failed: 0 },
    times: new DurationCounts(secondsBounds),
  };
}

/** Runs an allocation and counts its result. */
export async function countAllocation<R>(count: AllocationCount, allocation: () => Promise<R>): Promise<R> {
  try {
    const result = await allocation();
    count.allocated++;
    return result;
  } catch (error) {
    count.failed++;
    throw error;
  }
}
