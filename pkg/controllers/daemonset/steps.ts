import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import type { RevisionSteps } from '../history/owned-revisions.ts';

/** What the steps of one reconcile do to the cluster, and where they ask. */
export interface DaemonSetSteps extends RevisionSteps {
  readonly nowMs: () => number;
  readonly nodes: () => readonly Node[];
  /** Pods of the set, after adopting and releasing. */
  readonly claimPods: () => Promise<readonly Pod[]>;
  readonly createPod: (node: string, hash: string) => Promise<void>;
  readonly deletePod: (pod: Pod) => Promise<void>;
  readonly relabelPod: (pod: Pod, labels: Readonly<Record<string, string>>) => Promise<void>;
  /** Milliseconds until a failed pod of the node may be deleted; 0: now, and that counts. */
  readonly backoffMs: (node: string) => number;
  readonly event: (type: 'Normal' | 'Warning', reason: string, note: string) => void;
  readonly updateStatus: (set: DaemonSet) => Promise<unknown>;
}
