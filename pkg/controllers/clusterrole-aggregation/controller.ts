import { clusterRoles } from '../../api/rbac/tokens.ts';
import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

export const clusterRoleAggregationDescriptor: ControllerDescriptor = {
  name: 'clusterrole-aggregation-controller',
  account: 'clusterrole-aggregation-controller',
  resources: [clusterRoles],
  create: clusterRoleAggregationController,
};

/** Key that stands for all aggregating roles: any role may be a part of any of them. No role has an empty name. */
const ALL = '';

/** Rules that were written, and the version that the cache shows until it has seen them. */
interface PendingWrite {
  readonly replaced: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** Fills the rules of aggregating cluster roles from those that their selectors find. */
export function clusterRoleAggregationController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const roles = informers.informer(clusterRoles);
  // Two roles that select each other would else exchange their rules for ever.
  const pending = new Map<string, PendingWrite>();
  const rulesOf = ({ metadata, rules }: ClusterRole): readonly PolicyRule[] => {
    const write = pending.get(metadata.name!);
    if (write?.replaced === metadata.resourceVersion && write !== undefined) return write.rules;
    pending.delete(metadata.name!);
    return rules ?? [];
  };
  const queueAll = (): void => {
    const known = new Set<string>();
    for (const { metadata, aggregationRule } of roles.lister.list()) {
      known.add(metadata.name!);
      if (aggregationRule !== undefined) controller.queue.add(metadata.name!);
    }
    for (const name of pending.keys()) if (!known.has(name)) pending.delete(name);
  };
  const controller = new QueueController(context, {
    name: 'clusterrole-aggregation',
    // One at a time: each sees what the one before has written.
    workers: 1,
    reconcile: (name) =>
      name === ALL
        ? queueAll()
        : reconcile(name, {
            roleOf: (role) => roles.lister.get({ name: role }),
            roles: () => roles.lister.list(),
            rulesOf,
            readRole: (role) => client.get(clusterRoles, { name: role }),
            updateRole: (role) => client.update(clusterRoles, role),
            written: ({ metadata }, rules) => {
              pending.set(metadata.name!, { replaced: metadata.resourceVersion, rules });
              // It may be a part of others, which need not wait for its event.
              controller.queue.add(ALL);
            },
          }),
  });
  controller.follow(roles, () => [ALL]);
  return controller;
}
