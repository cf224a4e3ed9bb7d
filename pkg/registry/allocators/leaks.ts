/**
 * Items that seem to have no holder. A holder may be about to be written, by another server: only items without one for
 * the whole grace period are released. Times are of this process alone, so that no clock of another machine counts.
 */
export class Leaks<T> {
  private readonly graceMs: number;
  private readonly nowMs: () => number;
  private since = new Map<T, number>();

  constructor(graceMs: number, nowMs: () => number) {
    this.graceMs = graceMs;
    this.nowMs = nowMs;
  }

  /**
   * Takes all items of one round, and returns those that were found for long enough. Items that are not found any more
   * are dropped.
   */
  due(found: Iterable<T>): Set<T> {
    const now = this.nowMs();
    const since = new Map<T, number>();
    const due = new Set<T>();
    for (const item of found) {
      const first = this.since.get(item) ?? now;
      since.set(item, first);
      if (now - first >= this.graceMs) due.add(item);
    }
    this.since = since;
    return due;
  }
}
