import type { ApiObject } from '../apimachinery/meta/object.ts';
import { listObjects } from '../registry/read-objects.ts';
import type { StoreAccess } from '../registry/store-access.ts';

/** What plugins read of objects other than the request's. All are hub objects, shared: not to be changed. */
export interface ObjectLookup {
  /**
   * The newest state this server knows; `namespace` is empty for cluster-wide kinds. An object that it does not know is
   * looked for in the store.
   */
  get<T extends ApiObject>(resource: string, namespace: string, name: string): Promise<T | undefined>;
  /**
   * All objects of a namespace, or all (empty `namespace`), in key order; as of the watch cache, which may be some
   * milliseconds behind.
   */
  list<T extends ApiObject>(resource: string, namespace: string): Promise<readonly T[]>;
}

/** Resources are named as their caches: `namespaces`, `storageclasses.storage.k8s.io`. */
export function lookupIn(stores: StoreAccess): ObjectLookup {
  return {
    async get<T extends ApiObject>(resource: string, namespace: string, name: string): Promise<T | undefined> {
      const store = stores(resource);
      const found = await store.newest(store.keyOf(namespace, name));
      return found?.object() as T | undefined;
    },
    async list<T extends ApiObject>(resource: string, namespace: string): Promise<readonly T[]> {
      const store = stores(resource);
      const { objects } = await listObjects(store, { scope: store.scopeOf(namespace), limit: 0 }, { kind: 'any' });
      return objects.map((found) => found.object() as T);
    },
  };
}
