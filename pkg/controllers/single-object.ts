import type { Resource } from '../api/resource.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Client, ObjectName } from '../client/rest/client.ts';
import type { ControllerContext, FollowedObjects } from './controller-context.ts';

/** What steps are given that keep one object: it alone, whatever the way to it. */
export interface SingleObject<T extends ApiObject> {
  /** As it is known at present; it is shared and must not be changed. Undefined where there is none. */
  read(): T | undefined | Promise<T | undefined>;
  create(object: T): Promise<unknown>;
  /** Conflicts where the object is no longer what `read` gave. */
  update(object: T): Promise<unknown>;
}

/** One object by its informer, which holds nothing else, and by the controller's client. */
export function singleObject<T extends ApiObject>(
  { client, informers }: Pick<ControllerContext, 'client' | 'informers'>,
  resource: Resource<T>,
  name: ObjectName,
): SingleObject<T> & { readonly followed: FollowedObjects<T> } {
  const followed = informers.informer(resource, {
    ...(resource.namespaced ? { namespace: name.namespace ?? '' } : {}),
    fieldSelector: `metadata.name=${name.name}`,
  });
  return { ...writesOf(client, resource), followed, read: () => followed.lister.get(name) };
}

export function writesOf<T extends ApiObject>(
  client: Client,
  resource: Resource<T>,
): Pick<SingleObject<T>, 'create' | 'update'> {
  return { create: (object) => client.create(resource, object), update: (object) => client.update(resource, object) };
}
