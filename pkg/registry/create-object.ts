import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import type { ResourceStore } from './resource-store.ts';
import { runWrite } from './write-pipeline/run-write.ts';
import type { WriteRequest } from './write-request.ts';

/** Stores a new object; the registry takes ownership of the given hub object. Throws StatusError. */
export async function createObject<T extends ApiObject>(
  store: ResourceStore<T>,
  object: T,
  write: WriteRequest,
): Promise<CachedObject<T>> {
  const result = await runWrite(
    store,
    {
      operation: 'CREATE',
      transform(attempt) {
        attempt.object = object;
      },
    },
    write,
    undefined,
  );
  // A create whose name is taken is refused.
  if ('newer' in result) throw new Error('a create ended in a conflict');
  return result.object as CachedObject<T>;
}
