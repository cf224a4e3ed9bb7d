import { nodes } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import type { RouteProvider } from '../providers/routes.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'node-route-controller';

/** Off without a provider, and where nodes get no ranges. */
export function nodeRouteController(provider: RouteProvider | undefined): ControllerDescriptor {
  return {
    name: NAME,
    account: 'route-controller',
    resources: [nodes],
    create: (context, config) =>
      provider !== undefined && config.route.configure && config.nodeIpam.allocate
        ? routeController(context, config, provider)
        : undefined,
  };
}

/** Keeps the routes of a cloud in line with the ranges of the nodes. */
function routeController(
  context: ControllerContext,
  { route, clusterName }: ControllersConfig,
  provider: RouteProvider,
): Controller {
  const { client, informers, clock, onError } = context;
  const nodeInformer = informers.informer(nodes);
  const recorder = context.recorder('route_controller');
  const controller = new QueueController(context, {
    name: NAME,
    workers: 1,
    firstKeys: ['routes'],
    reconcile: async () => {
      await reconcile({
        nodes: () => nodeInformer.lister.list(),
        provider,
        clusterName,
        writeConditions: (node, conditions) => {
          const { uid, resourceVersion, name } = node.metadata;
          const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
          return client.patch(nodes, { name: name! }, 'merge', patch, { subresource: 'status' });
        },
        failed: (node, cidr, error) => {
          const note = `Could not create route ${cidr} for node ${node.metadata.name}: ${error.message}`;
          const event = { type: 'Warning', reason: 'FailedToCreateRoute', note } as const;
          recorder.event({ ...node, apiVersion: 'v1', kind: 'Node' }, event);
        },
        report: (error) => onError(error, NAME),
        wallMs: () => clock.wallMs(),
      });
      return route.periodMs;
    },
  });
  controller.follow(nodeInformer, () => []);
  return controller;
}
