import type { APIResource, APIResourceList } from '../../generated/types/meta-v1.ts';
import type { ServedResource, ServedSubresource } from '../documents/served-resources.ts';
import { isUnversioned, type ServedGroup } from './groups.ts';

/**
 * The body of `/api/v1` and `/apis/<group>/<version>`: resources in order of their names, each followed by its
 * subresources.
 */
export function apiResourceList(group: string, version: ServedGroup['versions'][number]): APIResourceList {
  return {
    kind: 'APIResourceList',
    ...(isUnversioned(group) ? {} : { apiVersion: 'v1' }),
    groupVersion: version.groupVersion,
    resources: version.resources.flatMap((r) => [describe(r), ...r.subresources.map((s) => describeSubresource(r, s))]),
  };
}

function describe(resource: ServedResource): APIResource {
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 ? { shortNames: [...resource.shortNames] } : {}),
    ...(resource.categories.length > 0 ? { categories: [...resource.categories] } : {}),
    ...(resource.storageVersionHash === undefined ? {} : { storageVersionHash: resource.storageVersionHash }),
  };
}

/** Only resources have a name in the singular. */
function describeSubresource(resource: ServedResource, subresource: ServedSubresource): APIResource {
  return {
    name: `${resource.resource}/${subresource.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(namesItsGroup(resource, subresource) ? { group: subresource.group, version: subresource.version } : {}),
    kind: subresource.kind,
    verbs: [...subresource.verbs],
  };
}

/** A body of another group version names it; a Scale always does. */
export function namesItsGroup(resource: ServedResource, subresource: ServedSubresource): boolean {
  return (
    subresource.group !== resource.group || subresource.version !== resource.version || subresource.kind === 'Scale'
  );
}
