import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** An object without its content: `PartialObjectMetadata` of `meta.k8s.io/v1`. */
export interface ObjectMetadata extends ApiObject {
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly kind: 'PartialObjectMetadata';
}

export const METADATA_TYPE = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' } as const;

/**
 * The token by which clients, informers and listers name the metadata of a resource's objects alone. Lists and watches
 * then cost what metadata costs, also of kinds known only by discovery. Not for creates and updates.
 */
export function metadataOf({ group, version, resource, kind, namespaced }: Resource): Resource<ObjectMetadata> {
  return { group, version, resource, kind, namespaced, metadataOnly: true };
}

/** What such a token gives of an object; shares its metadata. */
export function partialMetadata({ metadata }: ApiObject): ObjectMetadata {
  return { ...METADATA_TYPE, metadata };
}

/** What is shown by the token: the object, or its metadata. */
export function shownBy<T extends ApiObject>(resource: Resource<T>, object: T): T {
  return resource.metadataOnly === true ? (partialMetadata(object) as ApiObject as T) : object;
}

/** A list shown by the token; the same list where the objects are shown whole. */
export function shownAll<T extends ApiObject>(resource: Resource<T>, objects: readonly T[]): readonly T[] {
  return resource.metadataOnly === true ? objects.map((object) => shownBy(resource, object)) : objects;
}
