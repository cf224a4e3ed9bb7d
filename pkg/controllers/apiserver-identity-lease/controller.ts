import { leases } from '../../api/coordination/tokens.ts';
import { ExponentialBackoff } from '../../client/workqueue/rate-limiter.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { writesOf } from '../single-object.ts';
import { reconcile, type LeaseHolder } from './reconcile.ts';
import { SELECTION, serverIdentity } from './server-identity.ts';

const RENEW_MS = 10_000;
const RETRY_MS = 500;

/** Says that a server is there, by a lease of its own. */
export function apiserverIdentityLeaseController(context: ControllerContext, server: LeaseHolder): Controller {
  const { client, clock, informers } = context;
  const followed = informers.informer(leases, SELECTION);
  const name = serverIdentity(server.hostname);
  const { namespace } = SELECTION;
  const controller = new QueueController(context, {
    name: 'apiserver-identity-lease',
    workers: 1,
    firstKeys: [name],
    // A lease that is not renewed in time is collected.
    rateLimiter: new ExponentialBackoff(RETRY_MS, RENEW_MS),
    reconcile: async () => {
      const functions = {
        known: () => followed.lister.get({ namespace, name }),
        read: () => client.get(leases, { namespace, name }),
        ...writesOf(client, leases),
      };
      await reconcile(server, functions, clock.wallMs());
      return RENEW_MS;
    },
  });
  // Renewals are changes of the lease: nothing is queued by them.
  controller.follow(followed, () => []);
  return controller;
}
