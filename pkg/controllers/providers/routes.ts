/** A way to the pods of a node. */
export interface Route {
  /** As the provider calls it; empty for one that is to be made. */
  readonly name: string;
  readonly node: string;
  /** The range of the pods. */
  readonly cidr: string;
}

/** The routes that a cloud has for a cluster. */
export interface RouteProvider {
  list(clusterName: string): Promise<readonly Route[]>;
  /** `nameHint` is the same for each attempt. */
  create(clusterName: string, nameHint: string, route: Route): Promise<void>;
  delete(clusterName: string, route: Route): Promise<void>;
}
