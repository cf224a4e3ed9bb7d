import type { Clock } from '../../apimachinery/clock.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import type { EventHandler, HandlerOptions, HandlerRegistration } from './event-handler.ts';
import type { Indexer } from './indexer.ts';
import type { ObjectHandle } from './object-handle.ts';
import { objectKey } from './object-key.ts';
import { PendingChanges, type PendingChange } from './pending-changes.ts';

/** What the handlers of one informer share. */
export interface DeliveryContext<T extends ApiObject> {
  readonly indexer: Indexer<T>;
  readonly clock: Clock;
  /** The object of a handle, for readers. */
  read(handle: ObjectHandle<T>): T;
  report(error: unknown): void;
  /** Forgets a handler. */
  removed(delivery: HandlerDelivery<T>): void;
}

/**
 * Brings an informer's changes to one handler, in separate turns: a slow handler delays no other. First every existing
 * object is new to it; it is read from the store as it is delivered, not queued.
 */
export class HandlerDelivery<T extends ApiObject> implements HandlerRegistration {
  private readonly handler: EventHandler<T>;
  private readonly context: DeliveryContext<T>;
  private readonly resyncPeriodMs: number;
  private readonly pending = new PendingChanges<T>();
  private initial: Iterator<ObjectHandle<T>> | undefined;
  /** Keys of what the handler saw, or has waiting, while it sees the initial objects. */
  private passed: Set<string> | undefined;
  private resync: Iterator<ObjectHandle<T>> | undefined;
  private cancelResync: (() => void) | undefined;
  private running: Promise<void> | undefined;
  private state: 'waiting' | 'begun' | 'synced' | 'removed' = 'waiting';
  private syncWaiters: ((synced: boolean) => void)[] = [];

  constructor(handler: EventHandler<T>, { resyncPeriodMs = 0 }: HandlerOptions, context: DeliveryContext<T>) {
    this.handler = handler;
    this.resyncPeriodMs = resyncPeriodMs;
    this.context = context;
  }

  get synced(): boolean {
    return this.state === 'synced';
  }

  whenSynced(): Promise<boolean> {
    if (this.synced || this.state === 'removed') return Promise.resolve(this.synced);
    return new Promise((resolve) => this.syncWaiters.push(resolve));
  }

  async settled(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  remove(): void {
    if (this.state === 'removed') return;
    this.context.removed(this);
    this.end('removed');
    this.cancelResync?.();
    this.pending.clear();
    this.initial = this.resync = undefined;
  }

  /** The informer's store is complete. */
  begin(): void {
    this.state = 'begun';
    this.initial = this.context.indexer.all();
    this.passed = new Set();
    this.wake();
    if (this.resyncPeriodMs > 0) this.awaitResync();
  }

  /** `key` is that of the handle: one text for the many handlers of an informer. */
  put(key: string, handle: ObjectHandle<T>, previous: ObjectHandle<T> | undefined): void {
    if (this.state === 'waiting' || this.state === 'removed') return;
    if (this.passed?.has(key) === false) {
      // The initial objects have yet to reach it.
      if (previous !== undefined) return;
      this.passed.add(key);
    }
    this.pending.put(key, previous, handle);
    this.wake();
  }

  delete(key: string, last: ObjectHandle<T>, previous: ObjectHandle<T>): void {
    if (this.state === 'waiting' || this.state === 'removed') return;
    if (this.passed?.has(key) === false) return;
    this.pending.remove(key, previous, last);
    this.wake();
  }

  private end(state: 'synced' | 'removed'): void {
    this.state = state;
    for (const resolve of this.syncWaiters.splice(0)) resolve(state === 'synced');
  }

  private awaitResync(): void {
    this.cancelResync = this.context.clock.after(this.resyncPeriodMs, () => {
      this.resync ??= this.context.indexer.all();
      this.wake();
      this.awaitResync();
    });
  }

  private wake(): void {
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    await new Promise(setImmediate);
    const slice = new TimeSlice();
    while (this.deliverNext()) if (slice.over) await slice.next();
    // In the turn of the last look, so that no change falls in between.
    this.running = undefined;
  }

  /** Changes go first: while there are none the handler's view is that of the store. */
  private deliverNext(): boolean {
    const change = this.pending.take();
    if (change !== undefined) this.deliver(change);
    else if (this.initial !== undefined) this.deliverInitial(this.initial.next());
    else if (this.resync !== undefined) this.deliverResync(this.resync.next());
    else return false;
    return true;
  }

  // No closures in what follows: every change of a pod comes to some twenty handlers.

  private deliver({ seen, deleted, current }: PendingChange<T>): void {
    if (seen === undefined) {
      if (current !== undefined) this.add(current, false);
    } else if (deleted !== undefined || current === undefined) {
      this.drop(deleted ?? seen);
      if (current !== undefined) this.add(current, false);
    } else this.update(seen, current);
  }

  private deliverInitial({ done, value }: IteratorResult<ObjectHandle<T>>): void {
    if (done === true) {
      this.initial = this.passed = undefined;
      this.end('synced');
      return;
    }
    const key = objectKey(value.namespace, value.name);
    if (this.passed!.has(key)) return;
    this.passed!.add(key);
    this.add(value, true);
  }

  private deliverResync({ done, value }: IteratorResult<ObjectHandle<T>>): void {
    if (done === true) this.resync = undefined;
    else this.update(value, value);
  }

  private add(handle: ObjectHandle<T>, isInInitialList: boolean): void {
    if (this.state === 'removed') return;
    try {
      this.handler.onAdd?.(this.context.read(handle), isInInitialList);
    } catch (error) {
      this.context.report(error);
    }
  }

  /** After a gap the name may be another object's. */
  private update(seen: ObjectHandle<T>, current: ObjectHandle<T>): void {
    if (this.state === 'removed') return;
    try {
      const [old, object] = [this.context.read(seen), this.context.read(current)];
      if (old.metadata.uid === object.metadata.uid) return this.handler.onUpdate?.(old, object);
    } catch (error) {
      return this.context.report(error);
    }
    this.drop(seen);
    this.add(current, false);
  }

  private drop(last: ObjectHandle<T>): void {
    if (this.state === 'removed') return;
    try {
      this.handler.onDelete?.(this.context.read(last));
    } catch (error) {
      this.context.report(error);
    }
  }
}
