import assert from 'node:assert/strict';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { EventHandler } from './event-handler.ts';
import { objectKey } from './object-key.ts';

/** For tests: a handler that keeps what its calls lead to, and checks that each follows from those before. */
export class HandlerView<T extends ApiObject> implements EventHandler<T> {
  readonly objects = new Map<string, T>();
  /** `add a/b`, `initial a/b`, `update a/b`, `resync a/b`, `delete a/b`. */
  readonly calls: string[] = [];
  readonly deleted: T[] = [];
  private readonly problems: string[] = [];

  onAdd(object: T, isInInitialList: boolean): void {
    const key = this.call(isInInitialList ? 'initial' : 'add', object);
    if (this.objects.has(key)) this.problems.push(`${key} is added twice`);
    this.objects.set(key, object);
  }

  onUpdate(old: T, current: T): void {
    const key = this.call(old === current ? 'resync' : 'update', current);
    const seen = this.objects.get(key);
    if (seen === undefined) this.problems.push(`${key} is updated before it is added`);
    else if (seen.metadata.resourceVersion !== old.metadata.resourceVersion) {
      this.problems.push(`${key} is updated from another state than the one seen before`);
    }
    if (old.metadata.uid !== current.metadata.uid) this.problems.push(`${key} becomes another object by an update`);
    if (old !== current && old.metadata.resourceVersion === current.metadata.resourceVersion) {
      this.problems.push(`${key} is updated to the same state`);
    }
    this.objects.set(key, current);
  }

  onDelete(lastKnown: T): void {
    const key = this.call('delete', lastKnown);
    if (this.objects.get(key)?.metadata.uid !== lastKnown.metadata.uid)
      this.problems.push(`${key} is deleted but not there`);
    this.objects.delete(key);
    this.deleted.push(lastKnown);
  }

  /** Throws where a call did not follow from those before. */
  assertConsistent(): void {
    assert.deepEqual(this.problems, []);
  }

  private call(what: string, { metadata }: T): string {
    const key = objectKey(metadata.namespace ?? '', metadata.name!);
    this.calls.push(`${what} ${key}`);
    return key;
  }
}
