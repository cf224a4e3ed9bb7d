import type { StoreAccess } from '../../registry/store-access.ts';
import type { EndpointReconciler } from './endpoint-reconciler.ts';
import { KubernetesEndpoints } from './kubernetes-endpoints.ts';
import { LeaseEndpoints } from './lease-endpoints.ts';
import { MasterCountEndpoints } from './master-count-endpoints.ts';
import { MasterLeases } from './master-leases.ts';

/** Values of `--endpoint-reconciler-type`. */
const endpointReconcilerTypes = ['lease', 'master-count', 'none'] as const;
export type EndpointReconcilerType = (typeof endpointReconcilerTypes)[number];

export interface EndpointReconcilerSettings {
  readonly type: EndpointReconcilerType;
  /** `--apiserver-count`. */
  readonly serverCount: number;
  /** How long a server counts as alive without a renewal, seconds; longer than the time between two rounds. */
  readonly leaseSeconds: number;
}

export function openEndpointReconciler(
  stores: StoreAccess,
  { type, serverCount, leaseSeconds }: EndpointReconcilerSettings,
): EndpointReconciler {
  const endpoints = new KubernetesEndpoints(stores);
  switch (type) {
    case 'lease':
      return new LeaseEndpoints(endpoints, new MasterLeases(stores('endpoints'), leaseSeconds));
    case 'master-count':
      return new MasterCountEndpoints(endpoints, serverCount);
    case 'none':
      return noEndpoints;
  }
}

/** Type `none`: somebody else keeps the endpoints. */
const noEndpoints: EndpointReconciler = {
  reconcile: async () => undefined,
  remove: async () => undefined,
};
