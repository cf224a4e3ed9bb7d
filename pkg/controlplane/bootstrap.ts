import { namespaces } from '../api/core/tokens.ts';
import { priorityClasses } from '../api/scheduling/tokens.ts';
import { serviceCidrs } from '../api/networking/tokens.ts';
import { DEFAULT_SERVICE_CIDR, ensureCidr } from '../controllers/default-service-cidr/ensure-cidr.ts';
import type { KubernetesServiceOptions } from '../controllers/kubernetes-service/service-object.ts';
import { AllocationRepair } from '../registry/allocators/repair.ts';
import type { ServiceAllocators } from '../registry/allocators/service-allocators.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { DespiteFullStore } from './despite-full-store.ts';
import { ensureKubernetesService } from './kubernetes-service.ts';
import type { StartStep } from './start-steps.ts';
import { storedObject } from './stored-object.ts';
import { ensureDefaultPolicy } from './rbac/default-policy.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';
import { ensureSystemPriorityClasses } from './system-priority-classes.ts';

export interface BootstrapOptions {
  readonly stores: StoreAccess;
  readonly allocators: ServiceAllocators;
  /** The `kubernetes` service. */
  readonly service: KubernetesServiceOptions;
  readonly onError: (error: unknown, where: string) => void;
  /** Called with repaired problems, as in a store that another server filled; default: ignored. */
  readonly onWarning?: (message: string, where: string) => void;
  /** Called with each finished step; default: ignored. */
  readonly onFinished?: (step: StartStep) => void;
}

/** What is left to do when the server serves. */
export interface Bootstrapped {
  readonly start: DespiteFullStore;
  readonly repair: AllocationRepair;
}

/**
 * Makes what every cluster has before its first request is answered: the default ServiceCIDR, service allocations in
 * line with the services, the system namespaces and priority classes, the default roles and bindings, and the
 * `kubernetes` service. Controllers keep it that way afterwards. Rejects when a step fails, but where the store is
 * full: that is reported, and the step is left to do.
 */
export async function bootstrapCluster(options: BootstrapOptions): Promise<Bootstrapped> {
  const { stores, allocators, service, onError, onFinished = () => undefined } = options;
  const start = new DespiteFullStore(onError);
  const cidrs = stores(serviceCidrs);
  await start.run('service CIDRs', async () => {
    await ensureCidr(storedObject(cidrs, { name: DEFAULT_SERVICE_CIDR }), serviceRanges(allocators));
    // Allocations look at the cache.
    await cidrs.cacher.fresh();
  });
  const onProblem = (text: string): void => options.onWarning?.(text, 'service allocation');
  const repair = new AllocationRepair({ stores, allocators, onProblem });
  await start.run('service allocation', () => repair.runOnce());
  onFinished('poststarthook/start-service-ip-repair-controllers');
  await start.run('system namespaces', () => ensureSystemNamespaces(stores(namespaces)));
  await start.run('priority classes', () => ensureSystemPriorityClasses(stores(priorityClasses)));
  onFinished('poststarthook/scheduling/bootstrap-system-priority-classes');
  await start.run('default policy', () => ensureDefaultPolicy(stores, (error) => onError(error, 'default policy')));
  await start.run('kubernetes service', () => {
    const clusterIps = [...allocators.clusterIps.values()][0]!;
    const releaseClusterIp = (): Promise<void> => clusterIps.release([service.clusterIp], undefined);
    return ensureKubernetesService(stores, { ...service, releaseClusterIp });
  });
  return { start, repair };
}

/** In canonical form, the default family's first. */
export function serviceRanges({ clusterIps }: ServiceAllocators): string[] {
  return [...clusterIps.values()].map(({ bitmap }) => bitmap.range.text);
}
