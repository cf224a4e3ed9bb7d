/** Keeps the entries that were used last, at most `entriesMax` of them. */
export class BoundedCache<V> {
  private readonly entries = new Map<string, V>();
  private readonly entriesMax: number;

  constructor(entriesMax: number) {
    this.entriesMax = entriesMax;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    // A map keeps the order of insertion: the first key is the least recently used.
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.entriesMax) this.entries.delete(this.entries.keys().next().value!);
  }
}
