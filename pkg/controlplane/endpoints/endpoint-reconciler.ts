/** Where this server can be reached from inside the cluster. */
export interface ServingAddress {
  readonly ip: string;
  readonly port: number;
}

/**
 * Tells the cluster through the endpoints of the `kubernetes` service which servers there are; one file per value of
 * `--endpoint-reconciler-type`.
 */
export interface EndpointReconciler {
  /**
   * Makes the endpoints say that this server is there. Called again and again; a failure is reported and tried again in
   * the next round.
   */
  reconcile(own: ServingAddress): Promise<void>;
  /** Makes them no longer say so, at a clean stop. */
  remove(own: ServingAddress): Promise<void>;
}
