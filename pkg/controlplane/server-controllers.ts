import { randomUUID } from 'node:crypto';
import { systemClock } from '../apimachinery/clock.ts';
import type { Resource } from '../api/resource.ts';
import { flowSchemas, priorityLevelConfigurations } from '../api/flowcontrol/tokens.ts';
import { ipAddresses, serviceCidrs } from '../api/networking/tokens.ts';
import { clusterRoles } from '../api/rbac/tokens.ts';
import { leases } from '../api/coordination/tokens.ts';
import { configMaps, endpoints, namespaces, serviceAccounts, services } from '../api/core/tokens.ts';
import { endpointSlices } from '../api/discovery/tokens.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import { apiserverIdentityLeaseController } from '../controllers/apiserver-identity-lease/controller.ts';
import { serverIdentity } from '../controllers/apiserver-identity-lease/server-identity.ts';
import { apiserverLeaseGcController } from '../controllers/apiserver-lease-gc/controller.ts';
import { clusterAuthenticationTrustController } from '../controllers/cluster-authentication-trust/controller.ts';
import type { AuthenticationTrust } from '../controllers/cluster-authentication-trust/trust.ts';
import { clusterRoleAggregationController } from '../controllers/clusterrole-aggregation/controller.ts';
import { ControllerContexts } from '../controllers/controller-contexts.ts';
import { defaultServiceCidrController } from '../controllers/default-service-cidr/controller.ts';
import { flowControlObjectsController } from '../controllers/flow-control-objects/controller.ts';
import { flowSchemaStatusController } from '../controllers/flow-schema-status/controller.ts';
import {
  kubernetesServiceController,
  type KubernetesServiceControllerOptions,
} from '../controllers/kubernetes-service/controller.ts';
import { legacyTokenTrackingController } from '../controllers/legacy-token-tracking/controller.ts';
import { serviceAccountController } from '../controllers/serviceaccount/controller.ts';
import { serviceCidrController } from '../controllers/service-cidr/controller.ts';
import { startControllers, type ControllerFactory } from '../controllers/start-controllers.ts';
import { systemNamespacesController } from '../controllers/system-namespaces/controller.ts';
import type { AllocationRepair } from '../registry/allocators/repair.ts';
import type { ApiServer } from '../server/api-server.ts';
import { allocationRepairController } from './allocation-repair-controller.ts';
import type { DespiteFullStore } from './despite-full-store.ts';
import { retryStartStepsController } from './retry-start-steps.ts';
import type { StartStep } from './start-steps.ts';
import { withTimeout } from './with-timeout.ts';

/** The settings of their server that controllers need. */
export interface UpkeepOptions {
  readonly hostname: string;
  /** `--service-cluster-ip-range`, in canonical form. */
  readonly serviceCidrs: readonly string[];
  /** Whom the server believes at present; may throw. */
  readonly trust: () => AuthenticationTrust;
  readonly kubernetesService: KubernetesServiceControllerOptions;
  /** Steps of the start that may be left to do. */
  readonly start: DespiteFullStore;
  readonly repair: AllocationRepair;
  /** For tests. */
  readonly repairIntervalMs?: number | undefined;
}

export interface ServerControllersOptions extends UpkeepOptions {
  readonly server: Pick<ApiServer, 'localClient' | 'localSources' | 'registry'>;
  /**
   * Where a controller manager is. In this process: its controllers are left to it. Perhaps elsewhere: those without
   * which a server is not usable run here as well, since they do each other no harm. Nowhere: all of them run here.
   */
  readonly manager: 'here' | 'perhaps elsewhere' | 'nowhere';
  /** Names of those that run; for tests. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly queueMetrics: QueueMetrics;
  readonly onError: (error: unknown, where: string) => void;
  readonly onWarning: (message: string, where: string) => void;
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
  /** The health check that is well when it works. */
  readonly step?: StartStep;
}

/** The server itself, as stock servers are to themselves: never short of seats, and allowed everything. */
const USER = { name: 'system:apiserver', groups: ['system:masters'] };
/** How long a start waits for the first round of all; what takes longer goes on beside requests. */
export const FIRST_ROUND_MS = 10_000;

/** In the order in which they begin. */
function serverControllers(options: ServerControllersOptions): readonly ServerController[] {
  const { manager, hostname, trust } = options;
  const identity = { hostname, holder: `${serverIdentity(hostname)}_${randomUUID()}` };
  return [
    {
      name: 'system-namespaces',
      needs: [namespaces],
      create: systemNamespacesController,
      step: 'poststarthook/start-system-namespaces-controller',
    },
    {
      name: 'default-service-cidr',
      needs: [serviceCidrs],
      create: (context) =>
        defaultServiceCidrController(context, {
          cidrs: options.serviceCidrs,
          onWarning: (text) => options.onWarning(text, 'service allocation'),
        }),
      step: 'poststarthook/start-kubernetes-service-cidr-controller',
    },
    {
      name: 'kubernetes-service',
      needs: [services, endpoints, endpointSlices],
      create: (context) => kubernetesServiceController(context, options.kubernetesService),
      step: 'poststarthook/bootstrap-controller',
    },
    {
      name: 'service-allocation-repair',
      needs: [],
      create: (context) => allocationRepairController(context, options.repair, options.repairIntervalMs),
    },
    { name: 'start-steps', needs: [], create: (context) => retryStartStepsController(context, options.start) },
    {
      name: 'flow-control-objects',
      needs: [flowSchemas, priorityLevelConfigurations],
      create: flowControlObjectsController,
      step: 'poststarthook/priority-and-fairness-config-producer',
    },
    {
      name: 'flow-schema-status',
      needs: [flowSchemas, priorityLevelConfigurations],
      create: flowSchemaStatusController,
    },
    {
      name: 'cluster-authentication-trust',
      needs: [configMaps],
      create: (context) => clusterAuthenticationTrustController(context, trust),
      step: 'poststarthook/start-cluster-authentication-info-controller',
    },
    {
      name: 'legacy-token-tracking',
      needs: [configMaps],
      create: legacyTokenTrackingController,
      step: 'poststarthook/start-legacy-token-tracking-controller',
    },
    {
      name: 'apiserver-identity-lease',
      needs: [leases],
      create: (context) => apiserverIdentityLeaseController(context, identity),
      step: 'poststarthook/start-kube-apiserver-identity-lease-controller',
    },
    {
      name: 'apiserver-lease-gc',
      needs: [leases],
      create: apiserverLeaseGcController,
      step: 'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
    },
    ...(manager === 'here' ? [] : managerControllers),
    ...(manager === 'nowhere'
      ? [{ name: 'serviceaccount', needs: [namespaces, serviceAccounts], create: serviceAccountController }]
      : []),
  ];
}

/** The controller manager's; needed until one runs. */
const managerControllers: readonly ServerController[] = [
  { name: 'service-cidr', needs: [serviceCidrs, ipAddresses], create: serviceCidrController },
  {
    name: 'clusterrole-aggregation',
    needs: [clusterRoles],
    create: clusterRoleAggregationController,
    step: 'poststarthook/rbac/bootstrap-roles',
  },
];

/**
 * Starts the controllers that run in the server's process, once it serves. Resolves when each has worked once on what
 * was there, so that a cluster that is ready has what they make. A controller that fails is reported and holds up
 * neither the others nor the start.
 */
export async function startServerControllers(options: ServerControllersOptions): Promise<ServerControllers> {
  const { server, queueMetrics, onError, onWarning, onFinished } = options;
  const isServed = (resource: Resource): boolean => server.registry.serves(resource);
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
  if (options.manager === 'here') for (const { step } of managerControllers) if (step !== undefined) onFinished(step);
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
      // A store that does not answer does not delay the stop.
      if (!(await withTimeout(running.stop())))
        onWarning('the store does not answer: this server may stay in the endpoints for a while', 'controllers');
      await withTimeout(contexts.stop());
    },
  };
}
