import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { RevisionSteps } from '../history/owned-revisions.ts';

/** What the steps of one reconcile do to the cluster, and where they ask. */
export interface StatefulSetSteps extends RevisionSteps {
  readonly nowMs: () => number;
  /** Pods of the set, after adopting and releasing. */
  readonly claimPods: () => Promise<readonly Pod[]>;
  readonly createPod: (pod: Pod) => Promise<void>;
  readonly updatePod: (pod: Pod) => Promise<void>;
  readonly deletePod: (pod: Pod) => Promise<void>;
  /** Says that a pod was not written, since something else failed before. */
  readonly podFailed: (verb: 'Create' | 'Update', pod: Pod, error: Error) => void;
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  readonly createClaim: (claim: PersistentVolumeClaim, pod: Pod) => Promise<void>;
  readonly updateClaim: (claim: PersistentVolumeClaim) => Promise<void>;
  readonly updateStatus: (set: StatefulSet) => Promise<unknown>;
}
