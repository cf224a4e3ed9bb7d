import type { AnyResource } from '../../api/resource-definition.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { OwnerReference } from '../../apimachinery/meta/object.ts';

/** A resource in one of its versions. */
export interface OwnerResource {
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** The resources that a reference's version and kind may mean; throws in the words of clients when there is none. */
export function ownerResources(
  resources: readonly AnyResource[],
  { apiVersion, kind }: OwnerReference,
): OwnerResource[] {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/', 2) as [string, string]) : ['', apiVersion];
  const found = resources.filter(({ kind: name, versions }) =>
    versions.some((v) => v.groupVersion === apiVersion && v.served !== false && (v.kind ?? name) === kind),
  );
  if (found.length === 0) throw new Error(`no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`);
  return found.map(({ resource, namespaced }) => ({ apiGroup: group, apiVersion: version, resource, namespaced }));
}
