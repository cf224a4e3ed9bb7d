import type { ResourceStore } from './resource-store.ts';

/**
 * Finds the store of a resource by its cache name: `pods`, `deployments.apps`. Throws for resources that are not
 * served.
 */
export type StoreAccess = (name: string) => ResourceStore;
