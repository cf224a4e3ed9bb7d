import { nodes, services } from '../../api/core/tokens.ts';
import { splitKey } from '../../client/informer/object-key.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import type { LoadBalancerProvider } from '../providers/load-balancer-provider.ts';
import { QueueController } from '../queue-controller.ts';
import { isBalancerNode } from './balancer-nodes.ts';
import { type Ensured, reconcile } from './reconcile.ts';

const COMPONENT = 'service-controller';

/** Without a provider it is off, as where no cloud is named. */
export function serviceLbController(provider?: LoadBalancerProvider): ControllerDescriptor {
  return {
    name: 'service-lb-controller',
    account: COMPONENT,
    resources: [services, nodes],
    create: (context, config) =>
      provider === undefined ? undefined : controllerOfLoadBalancers(context, config, provider),
  };
}

/** Has load balancers made for the services that ask for one. */
function controllerOfLoadBalancers(
  context: ControllerContext,
  { workers, clusterName }: ControllersConfig,
  provider: LoadBalancerProvider,
): Controller {
  const { client, informers } = context;
  const serviceInformer = informers.informer(services);
  const nodeInformer = informers.informer(nodes);
  const recorder = context.recorder(COMPONENT);
  const ensured = new Map<string, Ensured>();

  const reconcileKey = async (key: string): Promise<void> => {
    const name = splitKey(key);
    const service = serviceInformer.lister.get(name);
    if (service === undefined) {
      ensured.delete(key);
      return;
    }
    const made = await reconcile(service, {
      provider,
      cluster: clusterName,
      nodes: () => nodeInformer.lister.list().filter(isBalancerNode),
      ensured: ensured.get(key),
      patch: (change) => client.patch(services, name, 'merge', change, { subresource: 'status' }),
      event: (type, reason, note) => recorder.event(service, { type, reason, note }),
    });
    if (made === undefined) ensured.delete(key);
    else ensured.set(key, made);
  };

  const controller = new QueueController(context, {
    name: COMPONENT,
    workers: workers.service,
    reconcile: reconcileKey,
  });
  controller.follow(serviceInformer, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]);
  const enqueueAll = (): void => {
    for (const key of ensured.keys()) controller.queue.add(key);
  };
  controller.handle(nodeInformer, {
    onAdd: (node) => {
      if (isBalancerNode(node)) enqueueAll();
    },
    onUpdate: (old, current) => {
      if (isBalancerNode(old) !== isBalancerNode(current)) enqueueAll();
    },
    onDelete: enqueueAll,
  });
  return controller;
}
