import { Bitmap } from './bitmap.ts';
import type { Leaks } from './leaks.ts';
import type { RangeAllocator } from './range-allocator.ts';

const ATTEMPTS_MAX = 16;

/** An item with the service that holds it, as `namespace/name`. */
export interface HeldItem<T> {
  readonly item: T;
  readonly holder: string;
}

export type RangeProblem = 'outside' | 'twice' | 'not allocated' | 'leaked';

export interface RangeRepairOptions<T> {
  readonly allocator: RangeAllocator<T>;
  /** All holders, read again at each call. */
  readonly held: () => AsyncIterable<HeldItem<T>>;
  /** Of the range's offsets. */
  readonly leaks: Leaks<number>;
  readonly tell: (problem: RangeProblem, item: T, holder: string) => void;
}

/**
 * Reconciles a stored allocation with the holders: a held item is marked as taken, and an item without a holder for the
 * whole grace period is released. Creates the allocation of a store that has none, and that of a range that has been
 * configured differently. Rejects when the store does.
 */
export async function repairRange<T>(options: RangeRepairOptions<T>): Promise<void> {
  const { allocator } = options;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    // The allocation first: anything taken after this makes the replacement fail.
    const snapshot = await allocator.snapshot();
    const { bitmap, problems } = await rebuild(options, snapshot.bitmap);
    const isCurrent = snapshot.revision > 0 && snapshot.text === allocator.range.text && bitmap.equals(snapshot.bitmap);
    if (!isCurrent && !(await allocator.replace(snapshot, bitmap))) continue;
    for (const tell of problems) tell();
    return;
  }
  throw new Error(`the allocation of ${allocator.range.text} changes faster than it can be repaired`);
}

async function rebuild<T>(
  { allocator, held, leaks, tell }: RangeRepairOptions<T>,
  stored: Bitmap,
): Promise<{ bitmap: Bitmap; problems: (() => void)[] }> {
  const { range } = allocator;
  const bitmap = new Bitmap(range.size);
  const problems: (() => void)[] = [];
  for await (const { item, holder } of held()) {
    const offset = range.offsetOf(item);
    const problem =
      offset === undefined
        ? 'outside'
        : !bitmap.add(offset)
          ? 'twice'
          : stored.has(offset)
            ? undefined
            : 'not allocated';
    if (problem !== undefined) problems.push(() => tell(problem, item, holder));
  }
  const unheld = [...stored.offsets()].filter((offset) => !bitmap.has(offset));
  const due = leaks.due(unheld);
  for (const offset of unheld) {
    if (due.has(offset)) problems.push(() => tell('leaked', range.itemAt(offset), ''));
    else bitmap.add(offset);
  }
  return { bitmap, problems };
}
