import { nodeMetrics, podMetrics } from '../api/metrics/resource-metrics.ts';
import { systemClock } from '../apimachinery/clock.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import type { ControllerMetrics } from '../controllers/controller-metrics.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import { ControllerContexts } from '../controllers/controller-contexts.ts';
import type { Controller } from '../controllers/controller.ts';
import { startControllers } from '../controllers/start-controllers.ts';
import { runControllers } from '../controllermanager/run-controllers.ts';
import { createScheduler } from '../scheduler/create-scheduler.ts';
import type { ApiServer } from '../server/api-server.ts';
import { createServingPair } from '../server/tls/serving-authority.ts';
import { simulateNodes } from '../simulation/simulate-nodes.ts';
import { simulateVolumes } from '../simulation/simulate-volumes.ts';
import { behaviorOf } from '../simulation/simulated-node.ts';
import type { ProgramsConfig } from './config/programs-config.ts';
import { withTimeout } from './with-timeout.ts';

export interface LocalProgramsOptions extends ProgramsConfig {
  readonly server: Pick<ApiServer, 'localClient' | 'localSources' | 'registry'>;
  /** What simulated nodes report as the version of their agent. */
  readonly kubeletVersion: string;
  readonly queueMetrics: QueueMetrics;
  readonly controllerMetrics: ControllerMetrics;
  readonly onError: (error: unknown, where: string) => void;
}

/** What makes a cluster of an API server, in its process: controllers, a scheduler, simulated nodes. */
export interface LocalPrograms {
  /** Resolves when each has worked once on what there was at its start. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const ACCOUNTS = 'kube-system';
/** The informers of all controllers: each shows no more than its own account may see through the API. */
const READER = { name: 'system:kube-controller-manager', groups: ['system:masters'] };
/** Controllers without an account of their own. */
const MANAGER = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
const SCHEDULER = { name: 'system:kube-scheduler', groups: ['system:masters'] };
const NODES = { name: 'system:node-simulator', groups: ['system:masters'] };
const NODE_ADDRESS = '127.0.0.1';

/** Starts all of them. Controllers act as the service accounts that they have in every cluster, with their rights. */
export function startLocalPrograms(options: LocalProgramsOptions): LocalPrograms {
  const { server, queueMetrics, controllerMetrics: metrics, onError } = options;
  const simulates = options.nodes.length > 0;
  // Elsewhere an agent of the cluster's own measures; where all nodes are as kwok has them, nothing does, as with kwok.
  if (options.nodes.some((node) => behaviorOf(node) !== 'fast'))
    for (const definition of [nodeMetrics, podMetrics]) server.registry.add(definition);
  const accounts = new Map(options.controllers.map(({ name, account }) => [name, account]));
  const clientOf = (name: string): ReturnType<ApiServer['localClient']> => {
    const userAgent = `binnacle/${name}`;
    if (name === 'scheduler') return server.localClient(SCHEDULER, { userAgent });
    if (name.startsWith('simulated-')) return server.localClient(NODES, { userAgent });
    const account = accounts.get(name);
    if (account === undefined) return server.localClient(MANAGER, { userAgent });
    const user = {
      name: `system:serviceaccount:${ACCOUNTS}:${account}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${ACCOUNTS}`, 'system:authenticated'],
    };
    return server.localClient(user, { userAgent });
  };
  const contexts = new ControllerContexts({
    clientOf,
    sources: server.localSources(READER, (error) => onError(error, 'informers of controllers')),
    queueMetrics,
    metrics,
    onError,
  });
  const manager = runControllers({
    descriptors: options.controllers,
    config: options.config,
    contexts,
    served: {
      isServed: (resource) => server.registry.serves(resource),
      onChange: (callback) => server.registry.listen(callback),
    },
    clock: systemClock,
    onError,
  });
  const cluster = startControllers(
    [
      ...(options.scheduler ? [{ name: 'scheduler', create: schedulerOf }] : []),
      ...(simulates
        ? [{ name: 'simulated-nodes', create: (context: ControllerContext) => nodesOf(context, options) }]
        : []),
      ...(options.simulatesVolumes ? [{ name: 'simulated-volumes', create: simulateVolumes }] : []),
    ],
    contexts,
    { clock: systemClock, onError },
  );
  return {
    settled: async () => void (await Promise.all([manager.settled(), cluster.settled()])),
    async stop() {
      // A store that does not answer does not hold up the stop.
      await withTimeout(Promise.all([manager.stop(), cluster.stop()]));
      await withTimeout(contexts.stop());
    },
  };
}

function nodesOf(context: ControllerContext, { nodes, kubeletVersion }: LocalProgramsOptions): Controller {
  return simulateNodes(context, {
    nodes,
    address: NODE_ADDRESS,
    kubeletVersion,
    certificate: () => createServingPair([NODE_ADDRESS]),
  });
}

function schedulerOf(context: ControllerContext): Controller {
  return createScheduler(context);
}
