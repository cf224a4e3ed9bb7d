import { fromHub, type VersionedResource } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';

/** A hub object in the version of `target`: itself where that is the hub, and not to be changed either way. */
export function objectIn(target: VersionedResource, object: ApiObject): ApiObject {
  const isInVersion =
    target.version.fromHub === undefined && object.apiVersion === target.groupVersion && object.kind === target.kind;
  return isInVersion ? object : fromHub(target, object);
}

/** Decoded objects in the version of `target`; yields, since objects that are not cached take time. */
export async function objectsIn(
  target: VersionedResource,
  cached: readonly CachedObject[],
): Promise<readonly ApiObject[]> {
  const items: ApiObject[] = [];
  const slice = new TimeSlice();
  for (const [i, object] of cached.entries()) {
    if ((i & 15) === 15 && slice.over) await slice.next();
    items.push(objectIn(target, object.object()));
  }
  return items;
}
