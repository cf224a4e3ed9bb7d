import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import type { Indexer } from './indexer.ts';
import { pinned, type ObjectHandle } from './object-handle.ts';
import { objectKey } from './object-key.ts';
import type { ObjectSink } from './object-source.ts';

/** Who follows the store; quick, and none of it throws. */
export interface StoreListener<T extends ApiObject> {
  put(handle: ObjectHandle<T>, previous: ObjectHandle<T> | undefined): void;
  deleted(last: ObjectHandle<T>, previous: ObjectHandle<T>): void;
  /** False: there is no handler to see a change. */
  hasListeners(): boolean;
  /** What the source has is complete in the store. */
  replaced(): void;
}

/** The receiving end of an informer's source: keeps the indexer, and makes of complete lists the differences. */
export class InformerStore<T extends ApiObject> implements ObjectSink<T> {
  /** Applied to each handle on its way in. */
  transform: ((handle: ObjectHandle<T>) => ObjectHandle<T>) | undefined;
  private readonly indexer: Indexer<T>;
  private readonly listener: StoreListener<T>;
  /** Keys that changed during the running replacement. */
  private changed: Set<string> | undefined;

  constructor(indexer: Indexer<T>, listener: StoreListener<T>) {
    this.indexer = indexer;
    this.listener = listener;
    this.transform = undefined;
  }

  async replace(objects: Iterable<ObjectHandle<T>> | AsyncIterable<ObjectHandle<T>>): Promise<void> {
    const changed = new Set<string>();
    // Without anything to remove the keys are not needed.
    const present = this.indexer.size === 0 ? undefined : new Set<string>();
    this.changed = changed;
    const slice = new TimeSlice();
    for await (const handle of objects) {
      if (this.changed !== changed) return;
      const key = objectKey(handle.namespace, handle.name);
      present?.add(key);
      if (!changed.has(key)) this.set(handle);
      if (slice.over) await slice.next();
    }
    if (present !== undefined) await this.dropAbsent(present, changed);
    if (this.changed !== changed) return;
    this.changed = undefined;
    this.listener.replaced();
  }

  private async dropAbsent(present: ReadonlySet<string>, changed: ReadonlySet<string>): Promise<void> {
    const slice = new TimeSlice();
    for (const handle of this.indexer.all()) {
      if (this.changed !== changed) return;
      const key = objectKey(handle.namespace, handle.name);
      if (!present.has(key) && !changed.has(key)) this.drop(handle, handle);
      if (slice.over) await slice.next();
    }
  }

  put(handle: ObjectHandle<T>): void {
    this.changed?.add(objectKey(handle.namespace, handle.name));
    this.set(handle);
  }

  remove(last: ObjectHandle<T>): void {
    this.changed?.add(objectKey(last.namespace, last.name));
    const previous = this.indexer.get(last.namespace, last.name);
    if (previous !== undefined) this.drop(this.transform?.(last) ?? last, previous);
  }

  /** Ends a running replacement. */
  close(): void {
    this.changed = undefined;
  }

  private set(brought: ObjectHandle<T>): void {
    const handle = this.transform?.(brought) ?? brought;
    const previous = this.indexer.get(handle.namespace, handle.name);
    // The same state again still takes the place of the old handle, which its cache may have replaced.
    const isSame = previous !== undefined && previous.resourceVersion === handle.resourceVersion;
    const old = previous === undefined || isSame || !this.listener.hasListeners() ? undefined : pinned(previous);
    this.indexer.set(handle);
    if (!isSame) this.listener.put(handle, old ?? previous);
  }

  private drop(last: ObjectHandle<T>, previous: ObjectHandle<T>): void {
    this.indexer.delete(previous.namespace, previous.name);
    this.listener.deleted(last, previous);
  }
}
