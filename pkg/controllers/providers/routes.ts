import type { NodeAddress } from '../../generated/types/core-v1.ts';

/** A way to the pods of a node. */
export interface Route {
  /** As the provider calls it; empty for one that is to be made. */
  readonly name: string;
  /** Empty: of no node that the provider knows. */
  readonly node: string;
  /** The range of the pods. */
  readonly cidr: string;
  /** It leads nowhere, such as one to a machine that is gone, and is deleted. */
  readonly blackhole?: boolean;
  /**
   * Of the node. A provider whose routes lead to addresses lists them: a route to others than the node has now is made
   * again.
   */
  readonly addresses?: readonly NodeAddress[];
}

/** The routes that a cloud has for a cluster. */
export interface RouteProvider {
  list(clusterName: string): Promise<readonly Route[]>;
  /** `nameHint` is the same for all routes of a node and for each attempt. */
  create(clusterName: string, nameHint: string, route: Route): Promise<void>;
  delete(clusterName: string, route: Route): Promise<void>;
}
