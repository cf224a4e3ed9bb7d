import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { isAtLeast } from '../../apimachinery/meta/resource-version.ts';
import { keyOf, objectKey } from '../../client/informer/object-key.ts';
import type { FollowedObjects } from '../controller-context.ts';

/**
 * The objects of an informer with what this controller wrote itself, which the informer shows a little later. Holds
 * only writes that the informer has not seen.
 */
export class LatestWrites<T extends ApiObject> {
  private readonly objects: FollowedObjects<T>;
  private readonly written = new Map<string, T>();

  constructor(objects: FollowedObjects<T>) {
    this.objects = objects;
  }

  add(object: T): T {
    this.written.set(keyOf(object), object);
    return object;
  }

  get(namespace: string, name: string): T | undefined {
    const shown = this.objects.lister.get({ namespace, name });
    return this.newer(objectKey(namespace, name), shown);
  }

  /** The newer state of one that the informer has. */
  latest(object: T): T {
    return this.newer(keyOf(object), object) ?? object;
  }

  private newer(key: string, shown: T | undefined): T | undefined {
    const written = this.written.get(key);
    if (written === undefined) return shown;
    const revision = revisionOf(written);
    if (!isAtLeast(this.objects.lastSyncResourceVersion, revision) && !isAtLeast(revisionOf(shown), revision))
      return written;
    this.written.delete(key);
    return shown;
  }
}

function revisionOf(object: ApiObject | undefined): string {
  return object?.metadata.resourceVersion ?? '';
}
