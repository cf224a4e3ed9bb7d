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
  { route, nodeIpam: { clusterCidrs }, clusterName }: ControllersConfig,
  provider: RouteProvider,
): Controller {
  const { client, informers, clock, onError } = context;
  const nodeInformer = informers.informer(nodes);
  const recorder = context.recorder('route_controller');
  const report = (error: unknown): void => onError(error, NAME);
  const controller = new QueueController(context, {
    name: NAME,
    workers: 1,
    firstKeys: ['routes'],
    reconcile: async () => {
      await reconcile({
        nodes: () => nodeInformer.lister.list(),
        provider,
        clusterName,
        clusterCidrs,
        writeCondition: ({ metadata: { name = '', uid } }, condition) => {
          const patch = { metadata: { uid }, status: { conditions: [condition] } };
          // Agents and other controllers write conditions of their own at the same time.
          return client.patch(nodes, { name }, 'strategic', patch, { subresource: 'status' });
        },
        failed: ({ metadata: { name } }, note) =>
          // Where clients look for what happens to a node, its name stands for its uid.
          recorder.event({ kind: 'Node', name, uid: name }, { type: 'Warning', reason: 'FailedToCreateRoute', note }),
        report,
        wallMs: () => clock.wallMs(),
        steadyMs: () => clock.steadyMs(),
      }).catch(report);
      return route.periodMs;
    },
  });
  controller.follow(nodeInformer, () => []);
  return controller;
}
