import { serviceCidrs } from '../../api/networking/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { writesOf } from '../single-object.ts';
import { DEFAULT_SERVICE_CIDR } from './ensure-cidr.ts';
import { reconcile } from './reconcile.ts';

export interface DefaultServiceCidrOptions {
  /** `--service-cluster-ip-range`, in canonical form. */
  readonly cidrs: readonly string[];
  /** Called once with what keeps the object from being as configured, for as long as it is the same. */
  readonly onWarning: (text: string) => void;
}

/** Keeps the ServiceCIDR of the options: makes it again where it is deleted, and says that it is ready. */
export function defaultServiceCidrController(
  context: ControllerContext,
  { cidrs, onWarning }: DefaultServiceCidrOptions,
): Controller {
  const { client, clock, informers } = context;
  // The same informer as that of the controller of all ServiceCIDRs.
  const followed = informers.informer(serviceCidrs);
  const object = {
    ...writesOf(client, serviceCidrs),
    read: () => followed.lister.get({ name: DEFAULT_SERVICE_CIDR }),
  };
  let lastWarning = '';
  const warn = (text: string): void => {
    if (text !== lastWarning) onWarning(text);
    lastWarning = text;
  };
  const controller = new QueueController(context, {
    name: 'default-service-cidr',
    workers: 1,
    firstKeys: [DEFAULT_SERVICE_CIDR],
    reconcile: () =>
      reconcile({
        object,
        updateStatus: (cidr) => client.update(serviceCidrs, cidr, { subresource: 'status' }),
        cidrs,
        warn,
        nowMs: clock.wallMs(),
      }),
  });
  controller.follow(followed, ({ metadata }) => (metadata.name === DEFAULT_SERVICE_CIDR ? [DEFAULT_SERVICE_CIDR] : []));
  return controller;
}
