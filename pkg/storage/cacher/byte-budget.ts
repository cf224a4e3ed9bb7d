import type { CachedObject } from './cached-object.ts';

/** How many times the budget of transient objects goes into the main one. */
const PASSING_PART = 64;

/**
 * Bounds the memory of lazily made forms over all resources, and the number of objects that have any. Objects with such
 * forms stand in a ring; when the total exceeds the budget, a hand moves around the ring and drops the forms of objects
 * that were not used since its last visit (the clock algorithm).
 */
export class ByteBudget {
  readonly limitBytes: number;
  /**
   * A small separate budget for objects that are not in the cache: past states, deleted objects, dry runs. In the main
   * budget they would stay as long as it has room.
   */
  readonly passing: ByteBudget;
  /** Upper bound of the number of objects with such forms. */
  private readonly ownersMax: number;
  private usedBytes = 0;
  private readonly owners: CachedObject[] = [];
  private hand = 0;

  constructor(limitBytes: number, ownersMax: number = Number.POSITIVE_INFINITY, isPassing = false) {
    this.limitBytes = limitBytes;
    this.ownersMax = ownersMax;
    this.passing = isPassing
      ? this
      : new ByteBudget(limitBytes / PASSING_PART, Math.ceil(ownersMax / PASSING_PART), true);
  }

  get used(): number {
    return this.usedBytes;
  }

  add(owner: CachedObject, bytes: number): void {
    if (owner.budgetSlot < 0) {
      owner.budgetSlot = this.owners.length;
      this.owners.push(owner);
    }
    owner.lazyBytes += bytes;
    this.usedBytes += bytes;
    if (this.exceeded) this.evict(owner);
  }

  private get exceeded(): boolean {
    return this.usedBytes > this.limitBytes || this.owners.length > this.ownersMax;
  }

  remove(owner: CachedObject): void {
    const slot = owner.budgetSlot;
    if (slot < 0) return;
    const last = this.owners.pop()!;
    if (last !== owner) {
      this.owners[slot] = last;
      last.budgetSlot = slot;
    }
    this.usedBytes -= owner.lazyBytes;
    owner.lazyBytes = 0;
    owner.budgetSlot = -1;
  }

  /**
   * At most two rounds of few steps each, so that one addition never pays for many evictions. `keep` is the object that
   * just grew.
   */
  private evict(keep: CachedObject): void {
    const stepsMax = Math.min(64, this.owners.length * 2);
    for (let step = 0; step < stepsMax && this.exceeded; step++) {
      if (this.hand >= this.owners.length) this.hand = 0;
      const owner = this.owners[this.hand];
      if (owner === undefined) return;
      if (owner === keep) this.hand++;
      else if (owner.recentlyUsed) {
        owner.recentlyUsed = false;
        this.hand++;
      } else owner.dropLazy();
    }
  }
}
