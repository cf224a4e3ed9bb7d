import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { LoadBalancerStatus, Node, Service } from '../../generated/types/core-v1.ts';
import type { LoadBalancerProvider } from '../providers/load-balancer-provider.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/** What the load balancer of a service was last made of. */
export interface Ensured {
  readonly service: Service;
  readonly nodes: readonly string[];
}

export interface ServiceSteps {
  readonly provider: LoadBalancerProvider;
  readonly cluster: string;
  readonly nodes: () => readonly Node[];
  readonly ensured: Ensured | undefined;
  /** Merges into the service, by its status. */
  readonly patch: (change: object) => Promise<unknown>;
  readonly event: (type: 'Normal' | 'Warning', reason: string, note: string) => void;
}

/** One service: there is a load balancer for as long as it asks for one. Gives what it was made of. */
export async function reconcile(service: Service, steps: ServiceSteps): Promise<Ensured | undefined> {
  try {
    if (wantsBalancer(service) && !isLeaving(service)) return await ensure(service, steps);
    if (hasFinalizer(service)) await remove(service, steps);
    return undefined;
  } catch (error) {
    steps.event('Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: ${(error as Error).message}`);
    throw error;
  }
}

/** Load balancers of a class are made by the program that knows the class. */
function wantsBalancer({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;
}

function hasFinalizer({ metadata }: Service): boolean {
  return metadata.finalizers?.includes(FINALIZER) === true;
}

function isLeaving({ metadata }: Service): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function ensure(service: Service, steps: ServiceSteps): Promise<Ensured> {
  const { provider, cluster, ensured, event, patch } = steps;
  const nodes = steps.nodes();
  const names = nodes.map(({ metadata }) => metadata.name!).sort();
  if (ensured !== undefined && isMadeOf(ensured, service)) {
    if (!semanticDeepEqual(ensured.nodes, names)) await updateNodes(service, nodes, steps);
    return { service, nodes: names };
  }
  event('Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
  if (!hasFinalizer(service)) {
    const finalizers = [...(service.metadata.finalizers ?? []), FINALIZER];
    await explained('failed to add load balancer cleanup finalizer', () => patch(withFinalizers(service, finalizers)));
  }
  if (nodes.length === 0) event('Warning', 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer');
  const status = await explained('failed to ensure load balancer', () => provider.ensure(cluster, service, nodes));
  event('Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
  await writeStatus(service, status, steps);
  return { service, nodes: names };
}

async function updateNodes(service: Service, nodes: readonly Node[], steps: ServiceSteps): Promise<void> {
  const { provider, cluster, event } = steps;
  if (nodes.length === 0) event('Warning', 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer');
  await explained('failed to update load balancer hosts', () => provider.updateNodes(cluster, service, nodes));
  event('Normal', 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
}

async function remove(service: Service, steps: ServiceSteps): Promise<void> {
  const { provider, cluster, event, patch } = steps;
  const present = await explained('failed to check if load balancer exists before cleanup', () =>
    provider.find(cluster, service),
  );
  if (present !== undefined) {
    event('Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
    await explained('failed to delete load balancer', () => provider.remove(cluster, service));
  }
  const finalizers = service.metadata.finalizers!.filter((finalizer) => finalizer !== FINALIZER);
  const change = { ...withFinalizers(service, finalizers), status: { loadBalancer: { ingress: null } } };
  await explained('failed to remove load balancer cleanup finalizer', () => patch(change));
  event('Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
}

/** On this state alone: others have finalizers of their own. */
function withFinalizers({ metadata }: Service, finalizers: readonly string[]): object {
  return { metadata: { resourceVersion: metadata.resourceVersion, finalizers } };
}

async function writeStatus(service: Service, wanted: LoadBalancerStatus, { patch }: ServiceSteps): Promise<void> {
  if (semanticDeepEqual(service.status.loadBalancer ?? {}, wanted)) return;
  const loadBalancer = { ingress: wanted.ingress ?? null };
  await explained('failed to update load balancer status', () => patch({ status: { loadBalancer } }));
}

/** Finalizer and status do not count: the state at hand may be older than what was written into it. */
function isMadeOf({ service }: Ensured, { metadata, spec }: Service): boolean {
  return (
    service.metadata.uid === metadata.uid &&
    semanticDeepEqual(service.spec, spec) &&
    semanticDeepEqual(service.metadata.annotations, metadata.annotations)
  );
}

async function explained<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
