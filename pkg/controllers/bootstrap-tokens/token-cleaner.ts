import { secrets } from '../../api/core/tokens.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { expiresInMs, TOKEN_NAMESPACE, TOKEN_SELECTION } from './token-secret.ts';

const WORKERS = 1;

export const tokenCleanerController: ControllerDescriptor = {
  name: 'token-cleaner-controller',
  account: 'token-cleaner',
  resources: [secrets],
  create: controllerOfExpiredTokens,
};

/** Deletes bootstrap tokens that have expired. */
function controllerOfExpiredTokens(context: ControllerContext): Controller {
  const { client, clock, informers } = context;
  const tokens = informers.informer(secrets, TOKEN_SELECTION);
  const controller = new QueueController(context, {
    name: 'token-cleaner',
    workers: WORKERS,
    reconcile: async (name) => {
      const id = { namespace: TOKEN_NAMESPACE, name };
      const secret = tokens.lister.get(id);
      const leftMs = secret === undefined ? undefined : expiresInMs(secret, clock.wallMs());
      if (leftMs === undefined || leftMs > 0) return leftMs;
      try {
        await client.delete(secrets, id, { preconditions: { uid: secret!.metadata.uid! } });
      } catch (error) {
        // Another one has its name by now, or none.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
      return undefined;
    },
  });
  controller.follow(tokens, ({ metadata }) => [metadata.name!]);
  return controller;
}
