import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ObjectName } from '../rest/client.ts';
import type { Indexer } from './indexer.ts';
import type { ObjectHandle } from './object-handle.ts';
import { objectKey, splitKey } from './object-key.ts';

/** Which objects of an informer. */
export interface ListerQuery {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: LabelSelector;
}

/**
 * Reads the objects of an informer, in no particular order. They are shared and must not be changed. An object whose
 * stored bytes are damaged throws: to a controller it is not the same as one that is not there.
 */
export class Lister<T extends ApiObject> {
  private readonly indexer: Indexer<T>;
  private readonly read: (handle: ObjectHandle<T>) => T;

  constructor(indexer: Indexer<T>, read: (handle: ObjectHandle<T>) => T) {
    this.indexer = indexer;
    this.read = read;
  }

  get size(): number {
    return this.indexer.size;
  }

  get({ namespace = '', name }: ObjectName): T | undefined {
    const handle = this.indexer.get(namespace, name);
    return handle === undefined ? undefined : this.read(handle);
  }

  /** By the key of a work queue. */
  getByKey(key: string): T | undefined {
    return this.get(splitKey(key));
  }

  list({ namespace, labelSelector }: ListerQuery = {}): T[] {
    const objects: T[] = [];
    for (const handle of namespace === undefined ? this.indexer.all() : this.indexer.inNamespace(namespace)) {
      if (labelSelector === undefined || labelSelector.matches(handle.labels())) objects.push(this.read(handle));
    }
    return objects;
  }

  /** Keys of all objects, without reading these. Live: what is added during the iteration is reached, too. */
  *keys(): IterableIterator<string> {
    for (const { namespace, name } of this.indexer.all()) yield objectKey(namespace, name);
  }

  /** Those that an index function gives a value for. */
  listByIndex(index: string, value: string): T[] {
    return Array.from(this.indexer.indexed(index, value), this.read);
  }
}
