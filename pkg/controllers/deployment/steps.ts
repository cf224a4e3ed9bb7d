import type { Deployment, DeploymentStatus, ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

/** What the steps of one reconcile do to the cluster, and where they ask. */
export interface DeploymentSteps {
  readonly nowMs: () => number;
  /** Replica sets of the deployment, after adopting and releasing. */
  readonly claimSets: (deployment: Deployment) => Promise<readonly ReplicaSet[]>;
  readonly podsOf: (set: ReplicaSet) => readonly Pod[];
  readonly createSet: (set: ReplicaSet) => Promise<ReplicaSet>;
  /** From the server, not from a cache. */
  readonly readSet: (name: string) => Promise<ReplicaSet>;
  readonly updateSet: (set: ReplicaSet) => Promise<ReplicaSet>;
  readonly deleteSet: (set: ReplicaSet) => Promise<void>;
  readonly updateDeployment: (deployment: Deployment) => Promise<Deployment>;
  /** Writes the status, and the annotations, which belong to it. */
  readonly updateStatus: (deployment: Deployment) => Promise<Deployment>;
  readonly event: (deployment: Deployment, type: 'Normal' | 'Warning', reason: string, note: string) => void;
}

export function withStatus(deployment: Deployment, status: DeploymentStatus): Deployment {
  return { ...deployment, status };
}
