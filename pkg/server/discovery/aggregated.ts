import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
} from '../../generated/types/apidiscovery-v2.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import type { ServedGroup } from './groups.ts';
import { namesItsGroup } from './resource-list.ts';

/**
 * All groups, versions and resources in one document (KEP-3352), on `/api` for the core group and on `/apis` for all
 * others. Versions v2 and v2beta1 have the same shape.
 */
export function apiGroupDiscoveryList(
  groups: readonly ServedGroup[],
  version: 'v2' | 'v2beta1',
): APIGroupDiscoveryList {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(describeGroup),
  };
}

function describeGroup(group: ServedGroup): APIGroupDiscovery {
  return {
    metadata: group.name === '' ? {} : { name: group.name },
    versions: group.versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(describeResource),
      freshness: 'Current',
    })),
  };
}

/** Group and version of a kind are empty where they are those of the list. */
function describeResource(resource: ServedResource): APIResourceDiscovery {
  return {
    resource: resource.resource,
    responseKind: { group: '', version: '', kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 ? { shortNames: [...resource.shortNames] } : {}),
    ...(resource.categories.length > 0 ? { categories: [...resource.categories] } : {}),
    ...(resource.subresources.length > 0
      ? { subresources: resource.subresources.map((s) => describeSubresource(resource, s)) }
      : {}),
  };
}

function describeSubresource(
  resource: ServedResource,
  subresource: ServedResource['subresources'][number],
): NonNullable<APIResourceDiscovery['subresources']>[number] {
  const named = namesItsGroup(resource, subresource);
  return {
    subresource: subresource.name,
    responseKind: {
      group: named ? subresource.group : '',
      version: named ? subresource.version : '',
      kind: subresource.kind,
    },
    verbs: [...subresource.verbs],
  };
}
