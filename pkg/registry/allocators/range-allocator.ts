import type { RangeAllocation } from '../../generated/types/core-v1.ts';
import type { KeyValue, Store } from '../../storage/store.ts';
import { AllocationError, countAllocation, newAllocationCounts, RANGE_FULL, type Allocator } from './allocator.ts';
import { Bitmap } from './bitmap.ts';
import type { NumberRange } from './number-range.ts';
import { decodeRange, encodeRange } from './stored-range.ts';

/** The stored allocation is of another range than the configured one. */
export class OtherRangeError extends Error {}

export interface RangeAllocatorOptions<T> {
  readonly store: Store;
  /** Store key of the allocation, `ranges/serviceips`. */
  readonly key: string;
  readonly range: NumberRange<T>;
  /** Uniform in [0, 1); default `Math.random`. */
  readonly random?: () => number;
}

/** The allocation at one revision of its key; 0: it is not stored yet. */
export interface RangeSnapshot {
  readonly bitmap: Bitmap;
  readonly revision: number;
  /** The range for which it was written. */
  readonly text: string;
  readonly metadata: RangeAllocation['metadata'] | undefined;
}

/** One change that waits for its turn: runs on a copy of the bitmap, perhaps several times. */
interface Change {
  apply(bitmap: Bitmap): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { value: unknown } | { error: unknown };

const ATTEMPTS_MAX = 256;

/**
 * Allocates the items of a range, each to one holder, among all servers on the same store. The one truth is the bitmap
 * under `key`, changed by compare-and-swap alone; changes that come while a write is in flight go together into the
 * next one. Rejects with `AllocationError`, or with the store's errors: the bit may then be set without a holder, which
 * the repair finds.
 */
export class RangeAllocator<T> implements Allocator<T> {
  readonly range: NumberRange<T>;
  readonly counts = newAllocationCounts();
  private readonly store: Store;
  private readonly key: string;
  private readonly random: () => number;
  /** The value of the key when this server last read it. */
  private known: RangeSnapshot | undefined;
  private waiting: Change[] = [];
  private running = false;

  constructor({ store, key, range, random = Math.random }: RangeAllocatorOptions<T>) {
    this.store = store;
    this.key = key;
    this.range = range;
    this.random = random;
  }

  get taken(): string {
    return this.range.taken;
  }

  /** Items that were taken when this server last read the allocation. */
  get takenCount(): number {
    return this.known?.bitmap.count ?? 0;
  }

  async allocate(item: T): Promise<void> {
    await countAllocation(this.counts.static, async () => {
      if (!(await this.add(this.offsetOf(item)))) throw new AllocationError(this.range.taken);
    });
  }

  /** Takes the item for a known holder; false when it is taken. Items outside of the range are ignored. */
  async mark(item: T): Promise<boolean> {
    const offset = this.range.offsetOf(item);
    return offset === undefined || this.add(offset);
  }

  /** The holders of items are not known here. */
  isHeld(item: T): Promise<boolean> {
    return this.isTaken(item);
  }

  /** Whether the item is taken now. */
  async isTaken(item: T): Promise<boolean> {
    const offset = this.range.offsetOf(item);
    return offset !== undefined && (await this.snapshot()).bitmap.has(offset);
  }

  /** Whether the item was taken when this server last read the allocation. */
  seemsTaken(item: T): boolean {
    const offset = this.known === undefined ? undefined : this.range.offsetOf(item);
    return offset !== undefined && this.known!.bitmap.has(offset);
  }

  async allocateNext(): Promise<T> {
    const offset = await countAllocation(this.counts.dynamic, () =>
      this.change((bitmap) => {
        const free = this.pick(bitmap);
        bitmap.add(free);
        return free;
      }),
    );
    return this.range.itemAt(offset);
  }

  async checkFree(item: T): Promise<void> {
    const offset = this.offsetOf(item);
    if ((await this.current()).bitmap.has(offset)) throw new AllocationError(this.range.taken);
  }

  async peekNext(besides: readonly T[]): Promise<T> {
    const bitmap = (await this.current()).bitmap.clone();
    for (const item of besides) bitmap.add(this.range.offsetOf(item) ?? -1);
    return this.range.itemAt(this.pick(bitmap));
  }

  /** Releases items; those outside of the range and free ones are skipped. */
  async release(items: readonly T[]): Promise<void> {
    const offsets = items.map((item) => this.range.offsetOf(item)).filter((offset) => offset !== undefined);
    if (offsets.length === 0) return;
    await this.change((bitmap) => {
      for (const offset of offsets) bitmap.delete(offset);
    });
  }

  /** The stored allocation; nothing of a range that was configured differently. */
  async snapshot(): Promise<RangeSnapshot> {
    const stored = await this.store.get(this.key);
    const snapshot = this.decode(stored);
    if (snapshot.text === this.range.text) this.known = snapshot;
    return snapshot;
  }

  /** Stores a whole new bitmap for the configured range; false when the key has changed since `snapshot`. */
  async replace(snapshot: RangeSnapshot, bitmap: Bitmap): Promise<boolean> {
    const result = await this.store.commit(this.key, {
      expectRevision: snapshot.revision,
      value: encodeRange(this.range.text, bitmap, snapshot.metadata),
    });
    if (result.ok)
      this.learn({ bitmap, revision: result.revision, text: this.range.text, metadata: snapshot.metadata });
    return result.ok;
  }

  private offsetOf(item: T): number {
    const offset = this.range.offsetOf(item);
    if (offset === undefined) throw new AllocationError(this.range.outside(item));
    return offset;
  }

  /** Any free offset, a reserved one only when there is no other. */
  private pick(bitmap: Bitmap): number {
    const { size, reserved } = this.range;
    const start = reserved + Math.floor(this.random() * (size - reserved));
    const free = bitmap.firstFree(start, size) ?? bitmap.firstFree(reserved, start) ?? bitmap.firstFree(0, reserved);
    if (free === undefined) throw new AllocationError(RANGE_FULL);
    return free;
  }

  /** False when the offset is taken. */
  private add(offset: number): Promise<boolean> {
    return this.change((bitmap) => bitmap.add(offset));
  }

  private change<R>(apply: (bitmap: Bitmap) => R): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({ apply, resolve: resolve as (value: unknown) => void, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.commit(batch);
      } catch (error) {
        this.known = undefined;
        for (const change of batch) change.reject(error);
      }
    }
    this.running = false;
  }

  /** Applies the batch to the newest bitmap and stores it; settles every change of it. */
  private async commit(batch: readonly Change[]): Promise<void> {
    let isFresh = this.known === undefined;
    let state = this.known ?? (await this.current());
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const bitmap = state.bitmap.clone();
      const outcomes = batch.map((change) => tryApply(change, bitmap));
      if (bitmap.equals(state.bitmap)) {
        // An old bitmap decides nothing: another server may have released an item that it refuses, or taken one that is
        // to be released.
        if (isFresh) return settle(batch, outcomes);
        state = await this.current();
        isFresh = true;
        continue;
      }
      const result = await this.store.commit(this.key, {
        expectRevision: state.revision,
        value: encodeRange(this.range.text, bitmap, state.metadata),
      });
      if (result.ok) {
        this.learn({ ...state, bitmap, revision: result.revision });
        return settle(batch, outcomes);
      }
      state = this.usable(this.decode(result.current));
      isFresh = true;
    }
    throw new Error(`${this.key}: other servers were faster ${ATTEMPTS_MAX} times`);
  }

  private async current(): Promise<RangeSnapshot> {
    return this.usable(await this.snapshot());
  }

  /** A bitmap of another range must not be changed as if it were of this one. */
  private usable(snapshot: RangeSnapshot): RangeSnapshot {
    if (snapshot.text !== this.range.text)
      throw new OtherRangeError(`${this.key} is of range ${snapshot.text}, not of ${this.range.text}`);
    return snapshot;
  }

  private learn(snapshot: RangeSnapshot): void {
    if (this.known === undefined || this.known.revision < snapshot.revision) this.known = snapshot;
  }

  private decode(stored: KeyValue | undefined): RangeSnapshot {
    if (stored === undefined)
      return { bitmap: new Bitmap(this.range.size), revision: 0, text: this.range.text, metadata: undefined };
    const { text, data, metadata } = decodeRange(stored.value);
    // A stock server leaves the range empty until its first repair.
    const isOurs = text === this.range.text || text === '';
    return {
      bitmap: isOurs ? Bitmap.fromBytes(data, this.range.size) : new Bitmap(this.range.size),
      revision: stored.modRevision,
      text: isOurs ? this.range.text : text,
      metadata,
    };
  }
}

function tryApply(change: Change, bitmap: Bitmap): Outcome {
  try {
    return { value: change.apply(bitmap) };
  } catch (error) {
    return { error };
  }
}

function settle(batch: readonly Change[], outcomes: readonly Outcome[]): void {
  for (const [i, change] of batch.entries()) {
    const outcome = outcomes[i]!;
    if ('error' in outcome) change.reject(outcome.error);
    else change.resolve(outcome.value);
  }
}
