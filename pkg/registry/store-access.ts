import { resourceKey, type NamedResource } from '../api/resource.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { ResourceStore } from './resource-store.ts';

/**
 * Finds the store of a resource by its token, or by its cache name (`pods`, `deployments.apps`). Throws for resources
 * that are not served.
 */
export type StoreAccess = <T extends ApiObject>(resource: NamedResource<T> | string) => ResourceStore<T>;

/** Access to stores that `find` knows by name; a token's type is that of the objects in the store of its name. */
export function storeAccess(find: (name: string) => ResourceStore): StoreAccess {
  return <T extends ApiObject>(resource: NamedResource<T> | string) =>
    find(typeof resource === 'string' ? resource : resourceKey(resource)) as ResourceStore<T>;
}
