import type { EndpointReconciler } from './endpoint-reconciler.ts';

/** Type `none`: somebody else keeps the endpoints. */
export const noEndpoints: EndpointReconciler = {
  reconcile: async () => undefined,
  remove: async () => undefined,
};
