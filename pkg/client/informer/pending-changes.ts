import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';
import type { ObjectHandle } from './object-handle.ts';

/** What has become of one object since the handler saw it. */
export interface PendingChange<T extends ApiObject> {
  /** The state that the handler saw last; undefined: none. */
  readonly seen: ObjectHandle<T> | undefined;
  /** The last state of what the handler saw, where that is deleted. */
  deleted: ObjectHandle<T> | undefined;
  /** The state that there is now, perhaps of another object of that name. */
  current: ObjectHandle<T> | undefined;
}

/**
 * Changes that a handler has yet to see, in the order of their beginnings. Later changes of an object that waits
 * already become one with it: there are never more than objects that the handler saw or that exist.
 */
export class PendingChanges<T extends ApiObject> {
  private queue: string[] = [];
  private head = 0;
  private readonly byKey = new TransientMap<PendingChange<T>>();

  get size(): number {
    return this.byKey.size;
  }

  /** `previous` is the state before the change, undefined for a new object. */
  put(key: string, previous: ObjectHandle<T> | undefined, current: ObjectHandle<T>): void {
    const waiting = this.byKey.get(key);
    if (waiting === undefined) this.add(key, { seen: previous, deleted: undefined, current });
    else waiting.current = current;
  }

  remove(key: string, previous: ObjectHandle<T>, last: ObjectHandle<T>): void {
    const waiting = this.byKey.get(key);
    if (waiting === undefined) return this.add(key, { seen: previous, deleted: last, current: undefined });
    waiting.current = undefined;
    if (waiting.seen !== undefined) waiting.deleted ??= last;
  }

  private add(key: string, change: PendingChange<T>): void {
    this.byKey.set(key, change);
    this.queue.push(key);
  }

  take(): PendingChange<T> | undefined {
    if (this.head === this.queue.length) return undefined;
    const key = this.queue[this.head++]!;
    if (this.head === this.queue.length) {
      this.queue = [];
      this.head = 0;
    } else if (this.head >= 1024 && this.head * 2 > this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    const change = this.byKey.get(key)!;
    this.byKey.delete(key);
    return change;
  }

  clear(): void {
    this.queue = [];
    this.head = 0;
    this.byKey.clear();
  }
}
