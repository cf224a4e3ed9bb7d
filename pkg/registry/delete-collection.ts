import { StatusError } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import { deleteObject, type DeleteRequest } from './delete-object.ts';
import type { ResourceStore } from './resource-store.ts';

/**
 * Deletes the listed objects with a number of workers (`--delete-collection-workers`). A missing object counts as
 * deleted; the first other error stops the rest and is thrown.
 */
export async function deleteCollection(
  store: ResourceStore,
  objects: readonly CachedObject[],
  request: DeleteRequest,
  workers: number,
): Promise<readonly CachedObject[]> {
  let next = 0;
  let failed: unknown;
  const work = async (): Promise<void> => {
    while (next < objects.length && failed === undefined) {
      const object = objects[next++]!;
      try {
        await deleteObject(store, { ...request, namespace: object.namespace, name: object.name, ofCollection: true });
      } catch (error) {
        if (error instanceof StatusError && error.reason === 'NotFound') continue;
        failed ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(workers, objects.length)) }, work));
  if (failed !== undefined) throw failed;
  return objects;
}
