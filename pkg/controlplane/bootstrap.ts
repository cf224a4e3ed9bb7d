import { serviceCidrs } from '../api/networking/tokens.ts';
import { DEFAULT_SERVICE_CIDR, ensureCidr } from '../controllers/default-service-cidr/ensure-cidr.ts';
import { AllocationRepair } from '../registry/allocators/repair.ts';
import type { ServiceAllocators } from '../registry/allocators/service-allocators.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { DespiteFullStore } from './despite-full-store.ts';
import type { EndpointReconciler } from './endpoints/endpoint-reconciler.ts';
import { ensureKubernetesService } from './kubernetes-service.ts';
import { withTimeout } from './with-timeout.ts';
import { PeriodicTask } from './periodic-task.ts';
import type { StartStep } from './start-steps.ts';
import { storedObject } from './stored-object.ts';
import { ensureDefaultPolicy } from './rbac/default-policy.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';
import { ensureSystemPriorityClasses } from './system-priority-classes.ts';
import { formatIp, parseIp } from '../apimachinery/names/ip.ts';

export interface ClusterUpkeepOptions {
  readonly stores: StoreAccess;
  readonly allocators: ServiceAllocators;
  /** IP address under which members of the cluster reach this server. */
  readonly advertiseAddress: string;
  readonly securePort: number;
  /** `--cluster-service-node-port`. */
  readonly serviceNodePort: number;
  readonly onError: (error: unknown, where: string) => void;
  /** Called with what was out of order and is repaired, as in a store that another server filled; default: nobody. */
  readonly onWarning?: (message: string, where: string) => void;
  /** Told each step that is done; default: nobody. */
  readonly onFinished?: (step: StartStep) => void;
  readonly endpoints: EndpointReconciler;
  readonly endpointIntervalMs?: number;
  readonly repairIntervalMs?: number | undefined;
  /** How long `stop` waits for the store; for tests. */
  readonly stopPatienceMs?: number;
}

/** Together with the time between two rounds, the longest that a dead server stays in the endpoints. */
export const SERVER_LEASE_SECONDS = 10;
const defaultIntervals = { endpointMs: 5000, repairMs: 1000 } as const;

/** What keeps a cluster's own objects in order while a server runs. */
export interface ClusterUpkeep {
  /**
   * Ends the upkeep and takes the server's address out of the endpoints; a store that does not answer keeps nobody from
   * stopping.
   */
  stop(): Promise<void>;
}

/**
 * Makes what every cluster has: the default ServiceCIDR, service allocations in line with the services, the system
 * namespaces and priority classes, the objects of priority and fairness, the default roles and bindings, and the
 * `kubernetes` service with its endpoints; then keeps the first two and the last that way.
 * Rejects when the first round of one fails, but for the endpoints and where the store is full: what is wrong then is
 * told, and tried again.
 */
export async function startClusterUpkeep(options: ClusterUpkeepOptions): Promise<ClusterUpkeep> {
  const { stores, allocators, endpoints, onError, onFinished = () => undefined } = options;
  const warn = (text: string): void => options.onWarning?.(text, 'service allocation');
  const start = new DespiteFullStore(onError);
  const cidrs = stores(serviceCidrs);
  await start.run('service CIDRs', async () => {
    await ensureCidr(storedObject(cidrs, { name: DEFAULT_SERVICE_CIDR }), serviceRanges(allocators));
    // Allocations look at the cache.
    await cidrs.cacher.fresh();
  });
  const repair = new AllocationRepair({ stores, allocators, onProblem: warn });
  await start.run('service allocation', () => repair.runOnce());
  onFinished('poststarthook/start-service-ip-repair-controllers');
  await start.run('system namespaces', () => ensureSystemNamespaces(stores('namespaces')));
  await start.run('priority classes', () => ensureSystemPriorityClasses(stores('priorityclasses.scheduling.k8s.io')));
  onFinished('poststarthook/scheduling/bootstrap-system-priority-classes');
  await start.run('default policy', () => ensureDefaultPolicy(stores, (error) => onError(error, 'default policy')));
  const own = { ip: options.advertiseAddress, port: options.securePort };
  // No pod reaches this server by a loopback address: better none at all, and the API refuses it too.
  const isReachable = !isLoopbackIp(own.ip);
  let mends = true;
  const keepService = async (): Promise<void> => {
    const clusterIps = [...allocators.clusterIps.values()][0]!;
    const clusterIp = clusterIps.bitmap.range.itemAt(0);
    await ensureKubernetesService(stores, {
      clusterIp,
      securePort: own.port,
      nodePort: options.serviceNodePort,
      mends,
      releaseClusterIp: () => clusterIps.release([clusterIp], undefined),
    });
    mends = false;
  };
  const keepEndpoints = async (): Promise<void> => {
    if (isReachable) await endpoints.reconcile(own);
  };
  await start.run('kubernetes service', keepService);
  await keepEndpoints().catch((error: unknown) => onError(error, 'kubernetes service'));
  onFinished('poststarthook/bootstrap-controller');
  const tasks = [
    new PeriodicTask(
      options.endpointIntervalMs ?? defaultIntervals.endpointMs,
      () => keepService().then(keepEndpoints),
      (error) => onError(error, 'kubernetes service'),
    ),
    new PeriodicTask(
      options.repairIntervalMs ?? defaultIntervals.repairMs,
      () => repair.runWhenDue(),
      (error) => onError(error, 'service allocation'),
    ),
  ];
  return {
    async stop() {
      const leave = async (): Promise<void> => {
        await Promise.all([start, ...tasks].map((task) => task.stop()));
        if (isReachable) await endpoints.remove(own);
      };
      try {
        if (!(await withTimeout(leave(), options.stopPatienceMs)))
          options.onWarning?.(
            'the store does not answer: this server may stay in the endpoints for a while',
            'kubernetes service',
          );
      } catch (error) {
        onError(error, 'kubernetes service');
      }
    },
  };
}

/** In canonical form, the default family's first. */
export function serviceRanges({ clusterIps }: ServiceAllocators): string[] {
  return [...clusterIps.values()].map(({ bitmap }) => bitmap.range.text);
}

/** True for 127.0.0.0/8 and ::1, also where they are written otherwise. */
function isLoopbackIp(text: string): boolean {
  const bytes = parseIp(text);
  if (bytes === undefined) return false;
  return bytes.length === 4 ? bytes[0] === 127 : formatIp(bytes) === '::1';
}
