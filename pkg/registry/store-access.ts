import { resourceKey, type NamedResource } from '../api/resource.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { ResourceStore } from './resource-store.ts';

/**
 * Finds the store of a resource by its token, which gives the type of its objects, or by its definition. Throws for
 * resources that are not served. Code that learns a name at run time asks `ResourceStores` itself.
 */
export type StoreAccess = <T extends ApiObject>(resource: NamedResource<T>) => ResourceStore<T>;

/** Access to stores that `find` knows by name; a token's type is that of the objects in the store of its name. */
export function storeAccess(find: (name: string) => ResourceStore): StoreAccess {
  return <T extends ApiObject>(resource: NamedResource<T>) => find(resourceKey(resource)) as ResourceStore<T>;
}
