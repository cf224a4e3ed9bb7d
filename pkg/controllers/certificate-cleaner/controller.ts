import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { deadlineMs } from './deadline.ts';

const WORKERS = 1;

export const certificateCleanerController: ControllerDescriptor = {
  name: 'certificatesigningrequest-cleaner-controller',
  account: 'certificate-controller',
  resources: [certificateSigningRequests],
  create: controllerOfOldRequests,
};

/** Deletes certificate requests that are settled, or that stay undecided, for long. */
function controllerOfOldRequests(context: ControllerContext): Controller {
  const { client, clock, informers } = context;
  const requests = informers.informer(certificateSigningRequests);
  const controller = new QueueController(context, {
    name: 'certificate-cleaner',
    workers: WORKERS,
    reconcile: async (name) => {
      const object = requests.lister.get({ name });
      const dueMs = object === undefined ? undefined : deadlineMs(object);
      if (dueMs === undefined) return undefined;
      if (dueMs > clock.wallMs()) return dueMs - clock.wallMs();
      try {
        await client.delete(certificateSigningRequests, { name }, { preconditions: { uid: object!.metadata.uid! } });
      } catch (error) {
        // Another one has its name by now, or none.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
      return undefined;
    },
  });
  controller.follow(requests, ({ metadata }) => [metadata.name!]);
  return controller;
}
