import { conflict } from '../apimachinery/errors/status-error.ts';
import { deepCopy } from '../apimachinery/json/deep.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { ObjectName } from '../client/rest/client.ts';
import type { SingleObject } from '../controllers/single-object.ts';
import { changeOwn, createOwnIfAbsent } from '../registry/own-writes.ts';
import type { ResourceStore } from '../registry/resource-store.ts';

/**
 * One object in its store: the steps of a controller can be taken with it before the server serves, when there is no
 * client yet. Passes no admission.
 */
export function storedObject<T extends ApiObject>(
  store: ResourceStore<T>,
  { namespace = '', name }: ObjectName,
): SingleObject<T> {
  return {
    read: async () => (await store.newest(store.keyOf(namespace, name)))?.object(),
    create: (object) => createOwnIfAbsent(store, object),
    update: (object) =>
      changeOwn(store, namespace, name, (current) => {
        if (current.metadata.resourceVersion !== object.metadata.resourceVersion)
          throw conflict(store.groupResource, name, 'the object has been modified');
        for (const key of Object.keys(current)) delete (current as Record<string, unknown>)[key];
        Object.assign(current, deepCopy(object));
      }),
  };
}
