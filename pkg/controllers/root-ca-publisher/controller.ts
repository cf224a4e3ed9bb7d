import { configMaps, namespaces } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { writesOf } from '../single-object.ts';
import { CONFIG_MAP, reconcile } from './reconcile.ts';

const WORKERS = 1;

export const rootCaPublisherController: ControllerDescriptor = {
  name: 'root-ca-certificate-publisher-controller',
  account: 'root-ca-cert-publisher',
  resources: [namespaces, configMaps],
  create: (context, { accounts }) =>
    accounts.rootCa === '' ? undefined : controllerOfRootCa(context, accounts.rootCa),
};

/** Keeps in every namespace the certificates by which its pods know the API server. */
function controllerOfRootCa(context: ControllerContext, rootCa: string): Controller {
  const { client, informers } = context;
  const followedNamespaces = informers.informer(namespaces);
  const followedMaps = informers.informer(configMaps, { fieldSelector: `metadata.name=${CONFIG_MAP}` });
  const controller = new QueueController(context, {
    name: 'root-ca-publisher',
    workers: WORKERS,
    reconcile: (namespace) =>
      reconcile(namespace, rootCa, {
        ...writesOf(client, configMaps),
        namespaceOf: (name) => followedNamespaces.lister.get({ name }),
        read: () => followedMaps.lister.get({ namespace, name: CONFIG_MAP }),
      }),
  });
  controller.follow(followedNamespaces, ({ metadata }) => [metadata.name!]);
  controller.follow(followedMaps, ({ metadata }) => [metadata.namespace!]);
  return controller;
}
