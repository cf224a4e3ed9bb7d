import { subjectAccessReviews } from '../../api/authorization/tokens.ts';
import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const WORKERS = 5;

export const certificateApprovingController: ControllerDescriptor = {
  name: 'certificatesigningrequest-approving-controller',
  account: 'certificate-controller',
  resources: [certificateSigningRequests],
  create: controllerOfApproval,
};

/** Approves the requests for client certificates of nodes, where the requester may have them. */
function controllerOfApproval(context: ControllerContext): Controller {
  const { client, clock, informers } = context;
  const requests = informers.informer(certificateSigningRequests);
  const controller = new QueueController(context, {
    name: 'certificate-approving',
    workers: WORKERS,
    reconcile: async (name) => {
      const object = requests.lister.get({ name });
      if (object === undefined) return undefined;
      return reconcile(object, {
        isAllowed: async (spec) => {
          const review = { metadata: {}, spec, status: { allowed: false } };
          return (await client.create(subjectAccessReviews, review)).status.allowed;
        },
        approve: (approved) => client.update(certificateSigningRequests, approved, { subresource: 'approval' }),
        nowMs: clock.wallMs(),
        now: formatTime(new Date(clock.wallMs())),
      });
    },
  });
  controller.follow(requests, ({ metadata }) => [metadata.name!]);
  return controller;
}
