import { resourceToken } from '../../api/resource.ts';
import type { APIGroupDiscoveryList, APIResourceDiscovery } from '../../generated/types/apidiscovery-v2.ts';
import type { FoundGroups, FoundResource } from './discovered-resource.ts';

const aggregatedAs = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/**
 * Every group in one answer (KEP-3352). Releases 1.27 to 1.29 have `v2beta1` alone, which has the same shape; older
 * ones answer with the plain form.
 */
export const ACCEPT_AGGREGATED = [aggregatedAs('v2'), aggregatedAs('v2beta1'), 'application/json'].join(',');

/** The kind decides: a server in front may have replaced the content type. */
export function isAggregated(body: { readonly kind?: string }): body is APIGroupDiscoveryList {
  return body.kind === 'APIGroupDiscoveryList';
}

/** What the server could not learn lately is a failure, whatever it knew before, as for clients of release 1.36. */
export function readAggregated({ items }: APIGroupDiscoveryList): FoundGroups {
  const resources: FoundResource[] = [];
  const failures = new Map<string, unknown>();
  for (const { metadata, versions } of items ?? []) {
    const group = metadata?.name ?? '';
    for (const { version, freshness, resources: described } of versions ?? []) {
      const groupVersion = group === '' ? version : `${group}/${version}`;
      if (freshness === 'Stale') failures.set(groupVersion, new Error(`stale GroupVersion discovery: ${groupVersion}`));
      else for (const one of described ?? []) resources.push(...foundResource(groupVersion, one));
    }
  }
  return { resources, failures };
}

/** Nothing for a path that has subresources alone. */
function foundResource(groupVersion: string, described: APIResourceDiscovery): FoundResource[] {
  const { resource, responseKind, scope, verbs, singularResource, shortNames, categories, subresources } = described;
  const kind = responseKind?.kind ?? '';
  if (kind === '') return [];
  return [
    {
      resource: resourceToken(groupVersion, resource, kind, scope === 'Namespaced'),
      verbs: verbs ?? [],
      singular: singularResource ?? '',
      shortNames: shortNames ?? [],
      categories: categories ?? [],
      subresources: (subresources ?? []).map(({ subresource }) => subresource),
    },
  ];
}
