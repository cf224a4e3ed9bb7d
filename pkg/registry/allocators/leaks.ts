/**
 * What seems to be held by nobody. A holder may be about to be written, by a server that this process knows nothing of:
 * only what was found so for the whole grace period is given back. Times are of this process alone, so that no clock of
 * another machine counts.
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
   * Takes all that is found in one round, and gives those that have been found for long enough. What is not found any
   * more is forgotten.
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
