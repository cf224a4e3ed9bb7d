import { systemClock } from '../apimachinery/clock.ts';
import { groupVersionOf, type Resource } from '../api/resource.ts';
import { clusterRoles } from '../api/rbac/tokens.ts';
import { namespaces, serviceAccounts } from '../api/core/tokens.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import { clusterRoleAggregationController } from '../controllers/clusterrole-aggregation/controller.ts';
import { ControllerContexts } from '../controllers/controller-contexts.ts';
import { serviceAccountController } from '../controllers/serviceaccount/controller.ts';
import { startControllers, type ControllerFactory } from '../controllers/start-controllers.ts';
import type { ApiServer } from '../server/api-server.ts';
import type { StartStep } from './start-steps.ts';
import { withTimeout } from './with-timeout.ts';

export interface ServerControllersOptions {
  readonly server: Pick<ApiServer, 'localClient' | 'localSources' | 'registry'>;
  /** There is no controller manager beside this server. */
  readonly alone: boolean;
  /** Names of those that run; for tests. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly queueMetrics: QueueMetrics;
  readonly onError: (error: unknown, where: string) => void;
  /** Called with each step that is done. */
  readonly onFinished: (step: StartStep) => void;
}

export interface ServerControllers {
  stop(): Promise<void>;
}

/** One controller of the server, and when it runs. */
interface ServerController extends ControllerFactory {
  /** Without these it has nothing to do: `--runtime-config` may leave them out. */
  readonly needs: readonly Resource[];
  /** What of the start is done when it works. */
  readonly step?: StartStep;
}

/** The server itself, as stock servers are to themselves: never short of seats, and allowed everything. */
const USER = { name: 'system:apiserver', groups: ['system:masters'] };
/** How long a start waits for the first round of all; what takes longer goes on beside requests. */
const FIRST_ROUND_MS = 10_000;

function serverControllers({ alone }: ServerControllersOptions): readonly ServerController[] {
  return [
    {
      name: 'clusterrole-aggregation',
      needs: [clusterRoles],
      create: clusterRoleAggregationController,
      step: 'poststarthook/rbac/bootstrap-roles',
    },
    ...(alone
      ? [{ name: 'serviceaccount', needs: [namespaces, serviceAccounts], create: serviceAccountController }]
      : []),
  ];
}

/**
 * Starts the controllers that run in the server's process, once it serves. Resolves when each has worked once on what
 * was there, so that a cluster that is ready has what they make. A controller that fails is reported and holds up
 * neither the others nor the start.
 */
export async function startServerControllers(options: ServerControllersOptions): Promise<ServerControllers> {
  const { server, queueMetrics, onError, onFinished } = options;
  const isServed = (resource: Resource): boolean => {
    const found = server.registry.forResource(groupVersionOf(resource), resource.resource);
    return found !== undefined && found.version.served !== false;
  };
  const all = serverControllers(options).filter(({ name }) => options.only?.includes(name) !== false);
  const steps = new Map(all.map(({ name, step }) => [name, step]));
  const finish = (name: string): void => {
    const step = steps.get(name);
    if (step !== undefined) onFinished(step);
  };
  const [able, unable] = [
    all.filter(({ needs }) => needs.every(isServed)),
    all.filter((c) => !c.needs.every(isServed)),
  ];
  for (const { name } of unable) finish(name);
  const contexts = new ControllerContexts({
    clientOf: (name) => server.localClient(USER, { userAgent: `binnacle/${name}` }),
    sources: server.localSources(USER, (error) => onError(error, 'informers of the server')),
    queueMetrics,
    onError,
  });
  const running = startControllers(able, contexts, { clock: systemClock, onError, onStarted: finish });
  await withTimeout(running.settled(), FIRST_ROUND_MS);
  return {
    async stop() {
      // A store that does not answer keeps nobody from stopping.
      await withTimeout(running.stop());
      await withTimeout(contexts.stop());
    },
  };
}
