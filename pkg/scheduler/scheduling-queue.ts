import type { Clock } from '../apimachinery/clock.ts';
import { ActivePods, type QueuedPod } from './active-pods.ts';

const BACKOFF_MS = 1000;
const BACKOFF_MAX_MS = 10_000;
/** A pod that no event brought back is tried again after this time. */
const UNSCHEDULABLE_MS = 300_000;

interface Entry<R> extends QueuedPod {
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
  private readonly active = new ActivePods<Entry<R>>();
  private readonly entries = new Map<string, Entry<R>>();
  /** Pods that may fit now. */
  private readonly backingOff = new Set<Entry<R>>();
  private readonly failedOnes = new Set<Entry<R>>();
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
    const entry = { key, priority, order, attempts: 0, changed: false, readyMs: 0, rejection: undefined };
    this.entries.set(key, entry);
    this.active.push(entry);
  }

  remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.backingOff.delete(entry);
    this.failedOnes.delete(entry);
    this.unschedulable.delete(entry);
  }

  /** The next pod to try; undefined: none. */
  take(): string | undefined {
    this.wake();
    const entry = this.firstActive() ?? this.firstBackingOff();
    if (entry === undefined) return undefined;
    entry.attempts++;
    entry.changed = false;
    return entry.key;
  }

  /** No node could take the pod: it waits for an event that may help it. */
  rejected(key: string, rejection: R): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.backOff(entry, rejection);
    if (entry.changed) this.backingOff.add(entry);
    else this.unschedulable.set(entry, this.clock.steadyMs());
  }

  /** The attempt did not come to an end: the pod waits for its backoff. */
  failed(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.backOff(entry, undefined);
    this.failedOnes.add(entry);
  }

  /** Something has changed: the pods for which `mayHelp` holds are tried again. */
  move(mayHelp: (rejection: R) => boolean): void {
    for (const entry of this.unschedulable.keys()) {
      if (!mayHelp(entry.rejection!)) continue;
      this.unschedulable.delete(entry);
      this.backingOff.add(entry);
    }
  }

  /** Milliseconds until a pod is to be tried; undefined: none waits. */
  nextMs(): number | undefined {
    if (this.active.length > 0 || this.backingOff.size > 0) return 0;
    const now = this.clock.steadyMs();
    let next = Infinity;
    for (const { readyMs } of this.failedOnes) next = Math.min(next, readyMs - now);
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
    for (const entry of this.backingOff) if (entry.readyMs <= now) this.activate(entry);
    for (const entry of this.failedOnes) if (entry.readyMs <= now) this.activate(entry);
  }

  private firstActive(): Entry<R> | undefined {
    for (let entry = this.active.pop(); entry !== undefined; entry = this.active.pop())
      if (this.entries.get(entry.key) === entry) return entry;
    return undefined;
  }

  private firstBackingOff(): Entry<R> | undefined {
    let first: Entry<R> | undefined;
    for (const entry of this.backingOff) if (first === undefined || entry.readyMs < first.readyMs) first = entry;
    if (first !== undefined) this.backingOff.delete(first);
    return first;
  }

  private backOff(entry: Entry<R>, rejection: R | undefined): void {
    entry.readyMs = this.clock.steadyMs() + backoffMs(entry.attempts);
    entry.rejection = rejection;
  }

  private activate(entry: Entry<R>): void {
    const waited = this.backingOff.delete(entry) || this.failedOnes.delete(entry) || this.unschedulable.delete(entry);
    if (waited) this.active.push(entry);
    else entry.changed = true;
  }
}

function backoffMs(attempts: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(10, attempts - 1));
}
