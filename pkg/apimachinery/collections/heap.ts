/** What a heap keeps in an entry: its index, or -1 while the entry is in no heap. */
export interface HeapEntry {
  at: number;
}

/** Entries of which the first by an order is found at once; each may be in one heap at a time. */
export class Heap<T extends HeapEntry> {
  private readonly entries: T[] = [];
  private readonly isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
  }

  get size(): number {
    return this.entries.length;
  }

  get first(): T | undefined {
    return this.entries[0];
  }

  push(entry: T): void {
    this.place(entry, this.entries.length);
    this.rise(entry);
  }

  /** Takes the first entry out. */
  pop(): T | undefined {
    const { first } = this;
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Takes out an entry of this heap. */
  remove(entry: T): void {
    const last = this.entries.pop()!;
    if (last !== entry) {
      this.place(last, entry.at);
      this.rise(last);
      this.sink(last);
    }
    entry.at = -1;
  }

  /** Moves an entry to its place after a change that brings it forward. */
  rise(entry: T): void {
    while (entry.at > 0) {
      const parent = this.entries[(entry.at - 1) >> 1]!;
      if (!this.isBefore(entry, parent)) return;
      this.swap(entry, parent);
    }
  }

  clear(): void {
    for (const entry of this.entries) entry.at = -1;
    this.entries.length = 0;
  }

  private sink(entry: T): void {
    for (;;) {
      const left = this.entries[2 * entry.at + 1];
      const right = this.entries[2 * entry.at + 2];
      if (left === undefined) return;
      const child = right !== undefined && this.isBefore(right, left) ? right : left;
      if (!this.isBefore(child, entry)) return;
      this.swap(child, entry);
    }
  }

  private swap(a: T, b: T): void {
    const { at } = a;
    this.place(a, b.at);
    this.place(b, at);
  }

  private place(entry: T, at: number): void {
    entry.at = at;
    this.entries[at] = entry;
  }
}
