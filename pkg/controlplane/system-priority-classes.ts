import type { PriorityClass } from '../generated/types/scheduling-v1.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { createOwnIfAbsent } from '../registry/own-writes.ts';

/**
 * Classes for pods without which a cluster, or one of its nodes, does not work. Their values are above all that users
 * may choose.
 */
const classes = [
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

export async function ensureSystemPriorityClasses(priorityClasses: ResourceStore<PriorityClass>): Promise<void> {
  for (const body of classes) await createOwnIfAbsent(priorityClasses, body);
}
