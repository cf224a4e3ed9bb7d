import type { ApiObject } from '../apimachinery/meta/object.ts';

/**
 * Strips fields that a user cannot set, so that the object can be created elsewhere; `exact` keeps the fields of this
 * cluster (the parameter `export`).
 */
export function exportObject(object: ApiObject, exact: boolean): ApiObject {
  const meta = object.metadata;
  delete meta.creationTimestamp;
  for (const key of [
    'uid',
    'resourceVersion',
    'selfLink',
    'generation',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'managedFields',
  ] as const)
    delete meta[key];
  if (!exact) {
    delete meta.namespace;
    if (meta.generateName) delete meta.name;
  }
  delete (object as { status?: unknown }).status;
  return object;
}
