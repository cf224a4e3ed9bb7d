import { allResources, builtInGroups } from './all-resources.ts';
import type { AnyResource } from './resource-definition.ts';
import { ResourceRegistry } from './resource-registry.ts';

/**
 * A registry of the kinds that are compiled in, as `change` makes them from options. Nothing else imports their list: a
 * server serves what is in its own registry.
 */
export function builtInRegistry(
  change: (resources: readonly AnyResource[]) => readonly AnyResource[] = (resources) => resources,
): ResourceRegistry {
  return new ResourceRegistry(change(allResources), builtInGroups);
}
