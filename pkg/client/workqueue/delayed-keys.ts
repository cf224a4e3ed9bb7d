import type { Clock } from '../../apimachinery/clock.ts';
import { Heap, type HeapEntry } from '../../apimachinery/collections/heap.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';

interface Entry extends HeapEntry {
  readonly key: string;
  dueMs: number;
}

/**
 * Keys that come due later: a heap, and one timer for its first. A key waits once; of two times the earlier one counts.
 */
export class DelayedKeys {
  private readonly clock: Clock;
  private readonly due: (key: string) => void;
  private readonly heap = new Heap<Entry>((a, b) => a.dueMs < b.dueMs);
  private readonly entries = new TransientMap<Entry>();
  private cancelTimer: (() => void) | undefined;
  private timerMs = Infinity;

  constructor(clock: Clock, due: (key: string) => void) {
    this.clock = clock;
    this.due = due;
  }

  get size(): number {
    return this.heap.size;
  }

  add(key: string, delayMs: number): void {
    const dueMs = this.clock.steadyMs() + delayMs;
    const present = this.entries.get(key);
    if (present === undefined) {
      const entry = { key, dueMs, at: -1 };
      this.entries.set(key, entry);
      this.heap.push(entry);
    } else if (dueMs < present.dueMs) {
      present.dueMs = dueMs;
      this.heap.rise(present);
    }
    this.arm();
  }

  /** Drops what waits. */
  clear(): void {
    this.heap.clear();
    this.entries.clear();
    this.disarm();
  }

  private arm(): void {
    const { first } = this.heap;
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
    while (this.heap.first !== undefined && this.heap.first.dueMs <= nowMs) {
      const { key } = this.heap.pop()!;
      this.entries.delete(key);
      this.due(key);
    }
    this.arm();
  }
}
