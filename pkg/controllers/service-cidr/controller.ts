import { ipAddresses, serviceCidrs } from '../../api/networking/tokens.ts';
import type { IPAddress } from '../../generated/types/networking-v1.ts';
import type { Client } from '../../client/rest/client.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { MANAGED, reconcile } from './reconcile.ts';

const WORKERS = 1;
const DELETION_GRACE_MS = 10_000;
const PAGE_SIZE = 500;

export const serviceCidrDescriptor: ControllerDescriptor = {
  name: 'service-cidr-controller',
  account: 'service-cidrs-controller',
  resources: [serviceCidrs, ipAddresses],
  create: (context) => serviceCidrController(context),
};

export interface ServiceCidrOptions {
  /** For tests. */
  readonly deletionGraceMs?: number;
}

/**
 * Keeps a ServiceCIDR for as long as an address of a service lies in it and in no other, and says of every ServiceCIDR
 * whether it is ready. Several may run at once: all come to the same.
 */
export function serviceCidrController(
  context: ControllerContext,
  { deletionGraceMs = DELETION_GRACE_MS }: ServiceCidrOptions = {},
): Controller {
  const { client, clock, informers } = context;
  const cidrs = informers.informer(serviceCidrs);
  const addresses = informers.informer(ipAddresses);
  const controller = new QueueController(context, {
    name: 'service-cidr',
    workers: WORKERS,
    reconcile: (name) =>
      reconcile(name, {
        cidrOf: (cidr) => cidrs.lister.get({ name: cidr }),
        cidrs: () => cidrs.lister.list(),
        addressNames: () => addresses.lister.keys(),
        addressOf: (address) => addresses.lister.get({ name: address }),
        listAddresses: () => listManaged(client),
        update: (cidr) => client.update(serviceCidrs, cidr),
        updateStatus: (cidr) => client.update(serviceCidrs, cidr, { subresource: 'status' }),
        nowMs: clock.wallMs(),
        deletionGraceMs,
      }),
  });
  controller.follow(cidrs, ({ metadata }) => [metadata.name!]);
  return controller;
}

async function listManaged(client: Client): Promise<readonly IPAddress[]> {
  const found: IPAddress[] = [];
  let page: string | undefined;
  do {
    const list = await client.list(ipAddresses, {
      labelSelector: MANAGED,
      limit: PAGE_SIZE,
      ...(page === undefined ? {} : { continue: page }),
    });
    found.push(...list.items);
    page = list.continue;
  } while (page !== undefined);
  return found;
}
