import type { Clock } from '../../apimachinery/clock.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';

interface Entry {
  readonly key: string;
  dueMs: number;
  /** Place in the heap. */
  at: number;
}

/**
 * Keys that come due later: a heap, and one timer for its first. A key waits once; of two times the earlier one counts.
 */
export class DelayedKeys {
  private readonly clock: Clock;
  private readonly due: (key: string) => void;
  private readonly heap: Entry[] = [];
  private readonly entries = new TransientMap<Entry>();
  private cancelTimer: (() => void) | undefined;
  private timerMs = Infinity;

  constructor(clock: Clock, due: (key: string) => void) {
    this.clock = clock;
    this.due = due;
  }

  get size(): number {
    return this.heap.length;
  }

  add(key: string, delayMs: number): void {
    const dueMs = this.clock.steadyMs() + delayMs;
    const present = this.entries.get(key);
    if (present === undefined) {
      const entry = { key, dueMs, at: this.heap.length };
      this.entries.set(key, entry);
      this.heap.push(entry);
      this.rise(entry);
    } else if (dueMs < present.dueMs) {
      present.dueMs = dueMs;
      this.rise(present);
    }
    this.arm();
  }

  /** Drops what waits. */
  clear(): void {
    this.heap.length = 0;
    this.entries.clear();
    this.disarm();
  }

  private arm(): void {
    const first = this.heap[0];
    if (first === undefined || first.dueMs >= this.timerMs) return;
    this.disarm();
    this.timerMs = first.dueMs;
    this.cancelTimer = this.clock.after(Math.max(0, first.dueMs - this.clock.steadyMs()), () => this.fire());
  }

  private disarm(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.timerMs = Infinity;
  }

  private fire(): void {
    this.disarm();
    const nowMs = this.clock.steadyMs();
    while (this.heap.length > 0 && this.heap[0]!.dueMs <= nowMs) {
      const { key } = this.takeFirst();
      this.entries.delete(key);
      this.due(key);
    }
    this.arm();
  }

  private takeFirst(): Entry {
    const first = this.heap[0]!;
    const last = this.heap.pop()!;
    if (last !== first) {
      this.place(last, 0);
      this.sink(last);
    }
    return first;
  }

  private rise(entry: Entry): void {
    while (entry.at > 0) {
      const parent = this.heap[(entry.at - 1) >> 1]!;
      if (parent.dueMs <= entry.dueMs) return;
      this.swap(entry, parent);
    }
  }

  private sink(entry: Entry): void {
    for (;;) {
      const left = this.heap[2 * entry.at + 1];
      const right = this.heap[2 * entry.at + 2];
      if (left === undefined) return;
      const child = right !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child.dueMs >= entry.dueMs) return;
      this.swap(child, entry);
    }
  }

  private swap(a: Entry, b: Entry): void {
    const at = a.at;
    this.place(a, b.at);
    this.place(b, at);
  }

  private place(entry: Entry, at: number): void {
    entry.at = at;
    this.heap[at] = entry;
  }
}
