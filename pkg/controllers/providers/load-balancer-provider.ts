import type { LoadBalancerStatus, Node, Service } from '../../generated/types/core-v1.ts';

/** Makes load balancers outside of the cluster, for services that ask for one. Calls may be repeated. */
export interface LoadBalancerProvider {
  /** Undefined: there is none for the service. */
  find(cluster: string, service: Service): Promise<LoadBalancerStatus | undefined>;
  /** Creates it, or brings it up to date; gives where it is reached. */
  ensure(cluster: string, service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus>;
  /** Makes it send to these nodes. */
  updateNodes(cluster: string, service: Service, nodes: readonly Node[]): Promise<void>;
  /** Resolves also where there is none. */
  remove(cluster: string, service: Service): Promise<void>;
}
