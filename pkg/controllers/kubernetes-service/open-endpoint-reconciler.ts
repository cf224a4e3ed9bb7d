import type { EndpointReconciler } from './endpoint-reconciler.ts';
import { LeaseEndpoints } from './lease-endpoints.ts';
import { MasterCountEndpoints } from './master-count-endpoints.ts';
import type { ServerLeases } from './server-leases.ts';

/** Values of `--endpoint-reconciler-type`. */
const endpointReconcilerTypes = ['lease', 'master-count', 'none'] as const;
export type EndpointReconcilerType = (typeof endpointReconcilerTypes)[number];

export interface EndpointReconcilerSettings {
  readonly type: EndpointReconcilerType;
  /** `--apiserver-count`. */
  readonly serverCount: number;
}

export function openEndpointReconciler(
  { type, serverCount }: EndpointReconcilerSettings,
  leases: ServerLeases,
): EndpointReconciler {
  switch (type) {
    case 'lease':
      return new LeaseEndpoints(leases);
    case 'master-count':
      return new MasterCountEndpoints(serverCount);
    case 'none':
      return noEndpoints;
  }
}

/** Type `none`: the endpoints are managed elsewhere. */
const noEndpoints: EndpointReconciler = {
  reconcile: async () => undefined,
  remove: async () => undefined,
};
