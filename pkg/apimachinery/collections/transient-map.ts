/**
 * A map from texts for entries that come and go with every request. V8's own Map and Set are chains: V8 links each
 * table that a Map or a Set outgrew to its successor, and where a single old table has survived for long, all its
 * successors do so until the next full collection, with their entries. A dictionary object has no such links.
 */
export class TransientMap<V> {
  private entries = Object.create(null) as Record<string, V>;
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(key: string): V | undefined {
    return this.entries[key];
  }

  /** `value` is not undefined. */
  set(key: string, value: V): void {
    if (this.entries[key] === undefined) this.count++;
    this.entries[key] = value;
  }

  delete(key: string): void {
    if (this.entries[key] === undefined) return;
    this.count--;
    delete this.entries[key];
  }

  keys(): string[] {
    return Object.keys(this.entries);
  }

  clear(): void {
    this.entries = Object.create(null) as Record<string, V>;
    this.count = 0;
  }
}
