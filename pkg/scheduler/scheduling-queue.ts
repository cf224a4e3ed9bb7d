import type { Clock } from '../apimachinery/clock.ts';
import { Heap, type HeapEntry } from '../apimachinery/collections/heap.ts';

const BACKOFF_MS = 1000;
const BACKOFF_MAX_MS = 10_000;
/** A pod that no event brought back is tried again after this time. */
const UNSCHEDULABLE_MS = 300_000;

interface Entry<R> extends HeapEntry {
  readonly key: string;
  readonly priority: number;
  /** Order of arrival among those of one priority. */
  readonly order: number;
  /** The heap that it waits in, if any. */
  heap: Heap<Entry<R>> | undefined;
  attempts: number;
  /** Whether the pod has changed since it was taken. */
  changed: boolean;
  /** When it may be tried again beside others; steady milliseconds. */
  readyMs: number;
  /** Absent after an error. */
  rejection: R | undefined;
}

/**
 * Pods that look for a node: those to try now, by priority, then by arrival; those that wait for their backoff; those
 * that no node could take, which wait until something changes that may help them. While there is none to try now, pods
 * do not wait for their backoff, but for those that failed with an error. A pod whose gates are open is added like any
 * other; one that is deleted or has got a node is removed. `R`: why a pod found no node.
 */
export class SchedulingQueue<R> {
  private readonly clock: Clock;
  private readonly active = new Heap<Entry<R>>(comesFirst);
  private readonly entries = new Map<string, Entry<R>>();
  /** Pods that may fit now. */
  private readonly backingOff = new Heap<Entry<R>>(isReadyFirst);
  private readonly errorBackoff = new Heap<Entry<R>>(isReadyFirst);
  /** With the time of their last attempt. */
  private readonly unschedulable = new Map<Entry<R>, number>();
  private orders = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Adds a pod, or makes one that waits active: it has changed. */
  add({ key, priority }: { readonly key: string; readonly priority: number }): void {
    const known = this.entries.get(key);
    if (known !== undefined && known.priority === priority) return this.activate(known);
    if (known !== undefined) this.remove(key);
    const order = this.orders++;
    const fresh = { at: -1, heap: undefined, attempts: 0, changed: false, readyMs: 0, rejection: undefined };
    const entry: Entry<R> = { key, priority, order, ...fresh };
    this.entries.set(key, entry);
    moveTo(this.active, entry);
  }

  remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    moveTo(undefined, entry);
    this.unschedulable.delete(entry);
  }

  /** The next pod to try; undefined: none. */
  take(): string | undefined {
    this.wake();
    const entry = this.active.first ?? this.backingOff.first;
    if (entry === undefined) return undefined;
    moveTo(undefined, entry);
    entry.attempts++;
    entry.changed = false;
    return entry.key;
  }

  /** No node could take the pod: it waits for an event that may help it. */
  rejected(key: string, rejection: R): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.backOff(entry, rejection);
    if (entry.changed) moveTo(this.backingOff, entry);
    else this.unschedulable.set(entry, this.clock.steadyMs());
  }

  /** The attempt did not come to an end: the pod waits for its backoff. */
  failed(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.backOff(entry, undefined);
    moveTo(this.errorBackoff, entry);
  }

  /** Something has changed: the pods for which `mayHelp` holds are tried again. */
  move(mayHelp: (rejection: R) => boolean): void {
    for (const entry of this.unschedulable.keys()) {
      if (!mayHelp(entry.rejection!)) continue;
      this.unschedulable.delete(entry);
      moveTo(this.backingOff, entry);
    }
  }

  /** Milliseconds until a pod is to be tried; undefined: none waits. */
  nextMs(): number | undefined {
    if (this.active.size > 0 || this.backingOff.size > 0) return 0;
    // In the order in which they failed: the first waits longest.
    const [oldestMs = Infinity] = this.unschedulable.values();
    const next = Math.min(this.errorBackoff.first?.readyMs ?? Infinity, oldestMs + UNSCHEDULABLE_MS);
    return next === Infinity ? undefined : Math.max(0, next - this.clock.steadyMs());
  }

  private wake(): void {
    const now = this.clock.steadyMs();
    for (const [entry, sinceMs] of this.unschedulable) {
      // In the order in which they failed: those behind it are younger.
      if (sinceMs + UNSCHEDULABLE_MS > now) break;
      this.activate(entry);
    }
    for (const heap of [this.backingOff, this.errorBackoff])
      for (let { first } = heap; first !== undefined && first.readyMs <= now; { first } = heap) this.activate(first);
  }

  private backOff(entry: Entry<R>, rejection: R | undefined): void {
    entry.readyMs = this.clock.steadyMs() + backoffMs(entry.attempts);
    entry.rejection = rejection;
  }

  private activate(entry: Entry<R>): void {
    if (this.unschedulable.delete(entry) || entry.heap !== undefined) moveTo(this.active, entry);
    else entry.changed = true;
  }
}

/** Takes an entry out of the heap that it waits in, and puts it into another one. */
function moveTo<R>(heap: Heap<Entry<R>> | undefined, entry: Entry<R>): void {
  entry.heap?.remove(entry);
  entry.heap = heap;
  heap?.push(entry);
}

function comesFirst<R>(a: Entry<R>, b: Entry<R>): boolean {
  return a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
}

function isReadyFirst<R>(a: Entry<R>, b: Entry<R>): boolean {
  return a.readyMs < b.readyMs;
}

function backoffMs(attempts: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(10, attempts - 1));
}
