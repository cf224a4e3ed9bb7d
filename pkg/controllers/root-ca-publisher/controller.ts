import { configMaps, namespaces } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { timed } from '../controller-metrics.ts';
import { QueueController } from '../queue-controller.ts';
import { writesOf } from '../single-object.ts';
import { publisherMetrics } from './metrics.ts';
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
  const { client, informers, clock } = context;
  const observe = publisherMetrics(context.metrics);
  const followedNamespaces = informers.informer(namespaces);
  const followedMaps = informers.informer(configMaps, { fieldSelector: `metadata.name=${CONFIG_MAP}` });
  const controller = new QueueController(context, {
    name: 'root-ca-publisher',
    workers: WORKERS,
    reconcile: (namespace) => {
      const steps = {
        ...writesOf(client, configMaps),
        namespaceOf: (name: string) => followedNamespaces.lister.get({ name }),
        read: () => followedMaps.lister.get({ namespace, name: CONFIG_MAP }),
      };
      return timed(clock, () => reconcile(namespace, rootCa, steps), observe);
    },
  });
  controller.follow(followedNamespaces, ({ metadata }) => [metadata.name!]);
  controller.follow(followedMaps, ({ metadata }) => [metadata.namespace!]);
  return controller;
}
