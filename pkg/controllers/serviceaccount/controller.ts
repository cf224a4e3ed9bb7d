import { namespaces, serviceAccounts } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const WORKERS = 5;

export const serviceAccountDescriptor: ControllerDescriptor = {
  name: 'serviceaccount-controller',
  account: 'service-account-controller',
  resources: [namespaces, serviceAccounts],
  create: serviceAccountController,
};

/** Gives every active namespace the service account `default`, which its pods run as unless they name another one. */
export function serviceAccountController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const followedNamespaces = informers.informer(namespaces);
  const followedAccounts = informers.informer(serviceAccounts);
  const controller = new QueueController(context, {
    name: 'serviceaccount',
    workers: WORKERS,
    reconcile: (namespace) =>
      reconcile(namespace, {
        namespaceOf: (name) => followedNamespaces.lister.get({ name }),
        hasAccount: (account) => followedAccounts.lister.get(account) !== undefined,
        createAccount: async (account) => void (await client.create(serviceAccounts, { metadata: account })),
      }),
  });
  controller.follow(followedNamespaces, ({ metadata }) => [metadata.name!]);
  controller.follow(followedAccounts, ({ metadata }) => [metadata.namespace!]);
  return controller;
}
