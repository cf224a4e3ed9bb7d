/**
 * The leader and until when, as locks keep it. Times are those of the holder's clock: no other candidate compares them.
 */
export interface LeaderRecord {
  /** Empty: released. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTimeMs: number;
  readonly renewTimeMs: number;
  /** How often the holder has changed. */
  readonly leaderTransitions: number;
}

/** Annotation of the locks that are not leases. */
export const LEADER_ANNOTATION = 'control-plane.alpha.kubernetes.io/leader';
