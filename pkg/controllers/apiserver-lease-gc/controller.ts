import { leases } from '../../api/coordination/tokens.ts';
import type { Lease } from '../../generated/types/coordination-v1.ts';
import { LEASE_SECONDS, SELECTION } from '../apiserver-identity-lease/server-identity.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const KEY = SELECTION.namespace;

/** Collects the leases by which servers say that they are there, once the servers are gone; looks every hour. */
export function apiserverLeaseGcController(context: ControllerContext): Controller {
  const { client, clock, informers } = context;
  const followed = informers.informer(leases, SELECTION);
  const controller = new QueueController(context, {
    name: 'apiserver-lease-gc',
    workers: 1,
    firstKeys: [KEY],
    reconcile: async () => {
      const functions = {
        leases: () => followed.lister.list(),
        remove: ({ metadata: { namespace = '', name = '', uid, resourceVersion } }: Lease) =>
          client.delete(leases, { namespace, name }, { preconditions: { uid, resourceVersion } }),
      };
      await reconcile(functions, clock.wallMs());
      return LEASE_SECONDS * 1000;
    },
  });
  controller.follow(followed, () => []);
  return controller;
}
