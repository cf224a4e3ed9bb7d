import type { Clock } from '../apimachinery/clock.ts';

const BACKOFF_MS = 1000;
const BACKOFF_MAX_MS = 10_000;
/** A pod that no event brought back is tried again after this time. */
const UNSCHEDULABLE_MS = 300_000;

export interface QueuedPod {
  readonly key: string;
  readonly priority: number;
}

interface Entry extends QueuedPod {
  /** Order of arrival among those of one priority. */
  readonly order: number;
  attempts: number;
  /** Whether the pod has changed since it was taken. */
  changed: boolean;
  /** When it may be tried again; steady milliseconds. */
  readyMs: number;
}

/**
 * Pods that look for a node: those to try now, by priority, then by arrival; those that wait for their backoff; those
 * that no node could take, which wait until something changes. A pod whose gates are open is added like any other; one
 * that is deleted or has got a node is removed.
 */
export class SchedulingQueue {
  private readonly clock: Clock;
  private readonly active: Entry[] = [];
  private readonly entries = new Map<string, Entry>();
  private readonly waiting = new Set<Entry>();
  private readonly unschedulable = new Map<Entry, number>();
  private orders = 0;
  /** Counts events after which pods that no node could take are tried again. */
  private moves = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Adds a pod, or makes one that waits active: it has changed. */
  add({ key, priority }: QueuedPod): void {
    const known = this.entries.get(key);
    if (known !== undefined && known.priority === priority) return this.activate(known);
    if (known !== undefined) this.remove(key);
    const entry: Entry = { key, priority, order: this.orders++, attempts: 0, changed: false, readyMs: 0 };
    this.entries.set(key, entry);
    this.pushActive(entry);
  }

  remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.waiting.delete(entry);
    this.unschedulable.delete(entry);
  }

  /** The next pod to try, with a mark for `failed`; undefined: none. */
  take(): { readonly key: string; readonly mark: number } | undefined {
    this.wake();
    for (let entry = this.popActive(); entry !== undefined; entry = this.popActive()) {
      if (this.entries.get(entry.key) !== entry) continue;
      entry.attempts++;
      entry.changed = false;
      return { key: entry.key, mark: this.moves };
    }
    return undefined;
  }

  /**
   * The pod found no node. It waits for an event; where one came after it was taken, and after errors, for its backoff
   * alone.
   */
  failed(key: string, mark: number, isError: boolean): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    entry.readyMs = this.clock.steadyMs() + backoffMs(entry.attempts);
    if (isError || entry.changed || mark !== this.moves) this.waiting.add(entry);
    else this.unschedulable.set(entry, this.clock.steadyMs());
  }

  /** Something has changed: pods that no node could take may fit now, and are tried again after their backoff. */
  moveAll(): void {
    this.moves++;
    for (const entry of this.unschedulable.keys()) this.waiting.add(entry);
    this.unschedulable.clear();
  }

  /** Milliseconds until a pod is to be tried; undefined: none waits. */
  nextMs(): number | undefined {
    if (this.active.length > 0) return 0;
    const now = this.clock.steadyMs();
    let next = Infinity;
    for (const { readyMs } of this.waiting) next = Math.min(next, readyMs - now);
    for (const sinceMs of this.unschedulable.values()) next = Math.min(next, sinceMs + UNSCHEDULABLE_MS - now);
    return next === Infinity ? undefined : Math.max(0, next);
  }

  private wake(): void {
    const now = this.clock.steadyMs();
    for (const [entry, sinceMs] of this.unschedulable) {
      // In the order in which they failed: those behind it are younger.
      if (sinceMs + UNSCHEDULABLE_MS > now) break;
      this.activate(entry);
    }
    for (const entry of this.waiting) if (entry.readyMs <= now) this.activate(entry);
  }

  private activate(entry: Entry): void {
    const waited = this.waiting.delete(entry) || this.unschedulable.delete(entry);
    if (waited) this.pushActive(entry);
    else entry.changed = true;
  }

  private pushActive(entry: Entry): void {
    const heap = this.active;
    let i = heap.push(entry) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && before(entry, heap[parent]!); parent = (i - 1) >> 1) {
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  private popActive(): Entry | undefined {
    const heap = this.active;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
}

function backoffMs(attempts: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(10, attempts - 1));
}
