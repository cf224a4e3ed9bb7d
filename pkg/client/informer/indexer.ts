import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ObjectHandle } from './object-handle.ts';
import { ObjectIndex, type IndexFunction } from './object-index.ts';
import { objectKey, splitKey } from './object-key.ts';

/** The objects of an informer: by namespace and name, and by what named index functions say of them. */
export class Indexer<T extends ApiObject> {
  private readonly namespaces = new Map<string, Map<string, ObjectHandle<T>>>();
  private readonly indexes = new Map<string, ObjectIndex<T>>();
  private readonly report: (error: unknown) => void;
  private count = 0;

  constructor(report: (error: unknown) => void) {
    this.report = report;
  }

  get size(): number {
    return this.count;
  }

  /** At any time; what is there already is read once more. Several users of an informer may bring the same function. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.indexes.get(name);
    if (known !== undefined && known.valuesOf !== valuesOf) throw new Error(`there is another index ${name} already`);
    if (known !== undefined) return;
    const index = new ObjectIndex(valuesOf);
    this.indexes.set(name, index);
    for (const handle of this.all()) {
      const key = objectKey(handle.namespace, handle.name);
      index.set(key, this.valuesOf(name, index, key, handle));
    }
  }

  get(namespace: string, name: string): ObjectHandle<T> | undefined {
    return this.namespaces.get(namespace)?.get(name);
  }

  /** Live: what is added during the iteration is reached, too. */
  *all(): IterableIterator<ObjectHandle<T>> {
    for (const objects of this.namespaces.values()) yield* objects.values();
  }

  inNamespace(namespace: string): Iterable<ObjectHandle<T>> {
    return this.namespaces.get(namespace)?.values() ?? [];
  }

  /** The objects that an index function gives a value for; throws where there is no such index. */
  *indexed(index: string, value: string): IterableIterator<ObjectHandle<T>> {
    const found = this.indexes.get(index);
    if (found === undefined) throw new Error(`no index ${index}`);
    for (const key of found.find(value)) {
      const { namespace, name } = splitKey(key);
      yield this.get(namespace, name)!;
    }
  }

  set(handle: ObjectHandle<T>): void {
    const { namespace, name } = handle;
    let objects = this.namespaces.get(namespace);
    if (objects === undefined) this.namespaces.set(namespace, (objects = new Map()));
    if (!objects.has(name)) this.count++;
    objects.set(name, handle);
    if (this.indexes.size === 0) return;
    const key = objectKey(namespace, name);
    for (const [indexName, index] of this.indexes) index.set(key, this.valuesOf(indexName, index, key, handle));
  }

  delete(namespace: string, name: string): void {
    const objects = this.namespaces.get(namespace);
    if (objects === undefined || !objects.delete(name)) return;
    this.count--;
    if (objects.size === 0) this.namespaces.delete(namespace);
    for (const index of this.indexes.values()) index.set(objectKey(namespace, name), []);
  }

  /** An object that its function cannot be asked about is in no list by that index. */
  private valuesOf(indexName: string, index: ObjectIndex<T>, key: string, handle: ObjectHandle<T>): readonly string[] {
    try {
      return index.valuesOf(handle.object());
    } catch (error) {
      this.report(new Error(`index ${indexName} of ${key}: ${(error as Error).message}`, { cause: error }));
      return [];
    }
  }
}
