import type { Service } from '../../generated/types/core-v1.ts';
import type { SingleObject } from '../single-object.ts';
import type { EndpointReconciler, ServingAddress } from './endpoint-reconciler.ts';
import { ensureService } from './ensure-service.ts';
import type { EndpointObjects } from './kubernetes-endpoints.ts';
import type { KubernetesServiceOptions } from './service-object.ts';

export interface KubernetesServiceSteps {
  readonly service: SingleObject<Service>;
  readonly options: KubernetesServiceOptions;
  readonly objects: EndpointObjects;
  readonly endpoints: EndpointReconciler;
  /** Undefined where no pod reaches this server. */
  readonly own: ServingAddress | undefined;
}

/** The endpoints name this server, whatever may keep the service from being there; then it is there. */
export async function reconcile({ service, options, objects, endpoints, own }: KubernetesServiceSteps): Promise<void> {
  if (own !== undefined) await endpoints.reconcile(own, objects);
  await ensureService(service, options);
}
