import type { ApiObject } from '../apimachinery/meta/object.ts';

/**
 * A resource by the names that clients use, with the type of its objects: the key of stores, clients, informers and
 * listers. Two tokens of one resource are equal in every field; compare `resourceKey`.
 */
export interface Resource<T extends ApiObject = ApiObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, lower case. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Clients give the metadata of the objects alone. */
  readonly metadataOnly?: boolean;
  /** Never set: ties the token to its type. */
  readonly objectType?: T;
}

/** A resource in all of its versions: a token or a definition. */
export type NamedResource<T extends ApiObject = ApiObject> = Pick<Resource<T>, 'group' | 'resource' | 'objectType'>;

/** `apps/v1`, or `v1` for the core group. */
export function groupVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `deployments.apps`, or `pods` for the core group: the same in all versions. */
export function resourceKey({ group, resource }: NamedResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** A token of a resource that is known only at run time, such as one of discovery. */
export function resourceToken<T extends ApiObject = ApiObject>(
  groupVersion: string,
  resource: string,
  kind: string,
  namespaced: boolean,
): Resource<T> {
  const slash = groupVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : groupVersion.slice(0, slash),
    version: groupVersion.slice(slash + 1),
    resource,
    kind,
    namespaced,
  };
}
