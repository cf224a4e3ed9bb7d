import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import { deepFreeze } from '../../apimachinery/json/deep-freeze.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { EventHandler, HandlerOptions, HandlerRegistration } from './event-handler.ts';
import { HandlerDelivery, type DeliveryContext } from './handler-delivery.ts';
import { Indexer } from './indexer.ts';
import { InformerStore } from './informer-store.ts';
import { Lister } from './lister.ts';
import { objectKey } from './object-key.ts';
import { DerivedObject, HeldObject, type ObjectHandle } from './object-handle.ts';
import type { IndexFunction } from './object-index.ts';
import type { ObjectSource } from './object-source.ts';

export interface InformerOptions {
  /** Takes what handlers, index functions and transforms throw. */
  readonly report: (error: unknown) => void;
  /** For tests: time of the resync periods. */
  readonly clock?: Clock;
  /** For tests: objects are frozen deeply before any reader sees them, so that a change of one throws. */
  readonly freezeObjects?: boolean;
}

/** Makes of an object what is kept of it; leaves its argument as it is. */
export type Transform<T extends ApiObject> = (object: T) => T;

/**
 * The objects of one selection in memory, kept up to date by a source, for all its users.
 *
 * Invariant: the lister is never older than what a handler has seen, and each handler's calls lead from nothing to what
 * the lister shows. The transform is set before the start.
 */
export class SharedInformer<T extends ApiObject> {
  readonly lister: Lister<T>;
  private readonly source: ObjectSource<T>;
  private readonly options: InformerOptions;
  private readonly indexer: Indexer<T>;
  private readonly store: InformerStore<T>;
  private readonly deliveries = new Set<HandlerDelivery<T>>();
  private readonly context: DeliveryContext<T>;
  private readonly stopping = new AbortController();
  private transform: Transform<T> | undefined;
  private running: Promise<void> | undefined;
  private isSynced = false;
  private syncWaiters: ((synced: boolean) => void)[] = [];

  constructor(source: ObjectSource<T>, options: InformerOptions) {
    this.source = source;
    this.options = options;
    this.indexer = new Indexer(options.report);
    const read = this.read.bind(this);
    this.lister = new Lister(this.indexer, read);
    this.context = {
      indexer: this.indexer,
      clock: options.clock ?? systemClock,
      read,
      report: options.report,
      removed: (delivery) => this.deliveries.delete(delivery),
    };
    this.store = new InformerStore(this.indexer, {
      put: (handle, previous) => {
        const key = objectKey(handle.namespace, handle.name);
        for (const delivery of this.deliveries) delivery.put(key, handle, previous);
      },
      deleted: (last, previous) => {
        const key = objectKey(last.namespace, last.name);
        for (const delivery of this.deliveries) delivery.delete(key, last, previous);
      },
      hasListeners: () => this.deliveries.size > 0,
      replaced: () => this.sync(),
    });
  }

  /** Everything that was there when the informer was started is in the lister. */
  get synced(): boolean {
    return this.isSynced;
  }

  get lastSyncResourceVersion(): string {
    return this.source.lastSyncResourceVersion;
  }

  /** Makes objects findable by `lister.listByIndex`; best before the start, when there are none to be read again. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.indexer.addIndex(name, valuesOf);
  }

  /**
   * Keeps less of each object than there is; before the start, and once. Over the caches of the same process it saves
   * nothing.
   */
  setTransform(transform: Transform<T>): void {
    if (this.running !== undefined) throw new Error('transform: the informer has been started already');
    if (this.transform !== undefined && this.transform !== transform)
      throw new Error('there is another transform already');
    this.transform = transform;
  }

  /** At any time: the handler sees what is there, then every change. */
  addHandler(handler: EventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    const delivery = new HandlerDelivery(handler, options, this.context);
    if (this.stopping.signal.aborted) {
      delivery.remove();
      return delivery;
    }
    this.deliveries.add(delivery);
    if (this.isSynced) delivery.begin();
    return delivery;
  }

  /** Once; later calls do nothing. */
  start(): void {
    if (this.running !== undefined || this.stopping.signal.aborted) return;
    const { transform, store } = this;
    if (transform !== undefined) store.transform = (handle) => this.transformed(handle, transform);
    this.running = this.source.run(store, this.stopping.signal);
  }

  /** Resolves when nothing runs any more. The lister keeps what it has; no handler is called again. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.store.close();
    const deliveries = [...this.deliveries];
    for (const delivery of deliveries) delivery.remove();
    for (const resolve of this.syncWaiters.splice(0)) resolve(false);
    await this.running;
    await Promise.all(deliveries.map((delivery) => delivery.settled()));
  }

  /** Resolves true when `synced` is, false when the informer is stopped before. */
  whenSynced(): Promise<boolean> {
    if (this.isSynced || this.stopping.signal.aborted) return Promise.resolve(this.isSynced);
    return new Promise((resolve) => this.syncWaiters.push(resolve));
  }

  private sync(): void {
    if (this.isSynced || this.stopping.signal.aborted) return;
    this.isSynced = true;
    for (const delivery of this.deliveries) delivery.begin();
    for (const resolve of this.syncWaiters.splice(0)) resolve(true);
  }

  private transformed(handle: ObjectHandle<T>, transform: Transform<T>): ObjectHandle<T> {
    const object = handle.decodedObject();
    try {
      if (object !== undefined) return new HeldObject(transform(object));
    } catch (error) {
      this.options.report(error);
    }
    return new DerivedObject(handle, transform);
  }

  private read(handle: ObjectHandle<T>): T {
    const object = handle.object();
    return this.options.freezeObjects === true ? deepFreeze(object) : object;
  }
}
