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

  put(handle: ObjectHandle<T>, previous: ObjectHandle<T> | undefined): void {
    if (this.state === 'waiting' || this.state === 'removed') return;
    const key = objectKey(handle.namespace, handle.name);
    if (this.passed?.has(key) === false) {
      // The initial objects have yet to reach it.
      if (previous !== undefined) return;
      this.passed.add(key);
    }
    this.pending.put(key, previous, handle);
    this.wake();
  }

  delete(last: ObjectHandle<T>, previous: ObjectHandle<T>): void {
    if (this.state === 'waiting' || this.state === 'removed') return;
    const key = objectKey(last.namespace, last.name);
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

  private deliver({ seen, deleted, current }: PendingChange<T>): void {
    const { read } = this.context;
    if (seen === undefined) {
      if (current !== undefined) this.call(() => this.handler.onAdd?.(read(current), false));
    } else if (deleted !== undefined || current === undefined) {
      this.call(() => this.handler.onDelete?.(read(deleted ?? seen)));
      if (current !== undefined) this.call(() => this.handler.onAdd?.(read(current), false));
    } else this.call(() => this.update(read(seen), read(current)));
  }

  /** After a gap the name may be another object's. */
  private update(old: T, current: T): void {
    if (old.metadata.uid === current.metadata.uid) return this.handler.onUpdate?.(old, current);
    this.call(() => this.handler.onDelete?.(old));
    this.call(() => this.handler.onAdd?.(current, false));
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
    this.call(() => this.handler.onAdd?.(this.context.read(value), true));
  }

  private deliverResync({ done, value }: IteratorResult<ObjectHandle<T>>): void {
    if (done === true) this.resync = undefined;
    else {
      this.call(() => {
        const object = this.context.read(value);
        this.handler.onUpdate?.(object, object);
      });
    }
  }

  private call(deliver: () => void): void {
    if (this.state === 'removed') return;
    try {
      deliver();
    } catch (error) {
      this.context.report(error);
    }
  }
}
