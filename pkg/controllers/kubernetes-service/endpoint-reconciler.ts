import type { EndpointObjects } from './kubernetes-endpoints.ts';

/** Where this server can be reached from inside the cluster. */
export interface ServingAddress {
  readonly ip: string;
  readonly port: number;
}

/**
 * Says in the endpoints of the `kubernetes` service which servers there are; one file per value of
 * `--endpoint-reconciler-type`.
 */
export interface EndpointReconciler {
  /** Makes the endpoints say that this server is there. Called again and again. */
  reconcile(own: ServingAddress, objects: EndpointObjects): Promise<void>;
  /** Makes them no longer say so, at a clean stop. */
  remove(own: ServingAddress, objects: EndpointObjects): Promise<void>;
}
