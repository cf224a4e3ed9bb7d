import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { QueueController } from '../queue-controller.ts';
import { FollowedIssuer } from './followed-issuer.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'certificate-signing';
const WORKERS = 5;

export const certificateSigningController: ControllerDescriptor = {
  name: 'certificatesigningrequest-signing-controller',
  account: 'certificate-controller',
  resources: [certificateSigningRequests],
  create: (context, { signing }) =>
    signing.authorities.size === 0 ? undefined : controllerOfSigners(context, signing),
};

/** Signs the certificate requests of the built-in signers that have an authority. */
function controllerOfSigners(
  context: ControllerContext,
  { authorities, durationMs }: ControllersConfig['signing'],
): Controller {
  const { client, clock, informers } = context;
  const issuers = new Map(
    Array.from(authorities, ([signer, source]) => {
      const report = (error: unknown): void => context.onError(error, `${NAME}, authority of ${signer}`);
      return [signer, new FollowedIssuer(source, report)] as const;
    }),
  );
  const requests = informers.informer(certificateSigningRequests);
  const controller = new QueueController(context, {
    name: NAME,
    workers: WORKERS,
    reconcile: async (name) => {
      const object = requests.lister.get({ name });
      if (object === undefined) return;
      await reconcile(object, {
        issuerOf: (signer) => issuers.get(signer)?.current(),
        durationMaxMs: durationMs,
        writeStatus: (signed) => client.update(certificateSigningRequests, signed, { subresource: 'status' }),
        nowMs: clock.wallMs(),
        now: formatTime(new Date(clock.wallMs())),
      });
    },
  });
  controller.follow(requests, ({ metadata }) => [metadata.name!]);
  return controller;
}
