import { builtInRegistry } from '../../api/built-in-registry.ts';
import { groupOf, type Scheme } from '../../api/scheme.ts';
import { cacheName } from '../../registry/resource-store.ts';

const builtIn: Scheme = builtInRegistry();

/**
 * The name in the store of a resource, `deployments.apps`; `group` may be any in which it is served. Undefined where
 * there is no such resource.
 */
export function storedResource(group: string, resource: string): string | undefined {
  const found = builtIn.resources.find(
    (d) =>
      d.virtual !== true &&
      d.resource === resource &&
      (d.group === group || d.versions.some((v) => groupOf(v.groupVersion) === group)),
  );
  return found === undefined ? undefined : cacheName(found);
}
