import { namespaces } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { writesOf } from '../single-object.ts';
import { reconcile, systemNamespaces } from './reconcile.ts';

/** Makes the namespaces that every cluster has, also after their deletion. */
export function systemNamespacesController(context: ControllerContext): Controller {
  const followed = context.informers.informer(namespaces);
  const { create } = writesOf(context.client, namespaces);
  const controller = new QueueController(context, {
    name: 'system-namespaces',
    workers: 1,
    firstKeys: systemNamespaces,
    reconcile: (name) => reconcile(name, { read: () => followed.lister.get({ name }), create }),
  });
  controller.follow(followed, ({ metadata }) => systemNamespaces.filter((name) => name === metadata.name));
  return controller;
}
