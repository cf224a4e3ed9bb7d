import type { Resource } from '../api/resource.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { listObjects } from '../registry/read-objects.ts';
import type { StoreAccess } from '../registry/store-access.ts';

/** How plugins read other objects than the request's. All are hub objects, shared: not to be changed. */
export interface ObjectLookup {
  /**
   * The newest state that this server knows; `namespace` is empty for cluster-wide kinds. An object that is not in the
   * cache is read from the store.
   */
  get<T extends ApiObject>(resource: Resource<T>, namespace: string, name: string): Promise<T | undefined>;
  /**
   * All objects of a namespace, or all (empty `namespace`), in key order; as of the watch cache, which may be some
   * milliseconds behind.
   */
  list<T extends ApiObject>(resource: Resource<T>, namespace: string): Promise<readonly T[]>;
}

export function lookupIn(stores: StoreAccess): ObjectLookup {
  return {
    async get(resource, namespace, name) {
      const store = stores(resource);
      return (await store.newest(store.keyOf(namespace, name)))?.object();
    },
    async list(resource, namespace) {
      const store = stores(resource);
      const { objects } = await listObjects(store, { scope: store.scopeOf(namespace), limit: 0 }, { kind: 'any' });
      return objects.map((found) => found.object());
    },
  };
}
