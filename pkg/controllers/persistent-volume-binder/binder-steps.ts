import type { VolumeMetrics } from './metrics.ts';
import type { NewEvent } from '../../client/events/event-recorder.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import type { RecyclersConfig } from './recycler-pod.ts';
import type { VolumeProvisioner } from '../providers/volume-provisioner.ts';

/** What the binder reads and writes. Written objects are seen by the readers at once. */
export interface BinderSteps {
  readonly metrics: VolumeMetrics;
  readonly steadyMs: () => number;
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  /** Asks the server itself. */
  readonly liveClaim: (namespace: string, name: string) => Promise<PersistentVolumeClaim | undefined>;
  readonly volume: (name: string) => PersistentVolume | undefined;
  /** Volumes that a claim may get: those of its class, and those that are meant for it. */
  readonly candidates: (claim: PersistentVolumeClaim) => readonly PersistentVolume[];
  readonly storageClass: (name: string) => StorageClass | undefined;
  readonly defaultClass: () => StorageClass | undefined;
  /** Pods that use the claim, have no node and have not ended. */
  readonly waitingPods: (claim: PersistentVolumeClaim) => readonly Pod[];
  /** Pods that use a claim of this name. */
  readonly podsUsing: (namespace: string, name: string) => readonly Pod[];
  /** The pod that recycles a volume. */
  readonly recycler: (namespace: string, name: string) => Pod | undefined;
  readonly recyclers: RecyclersConfig;
  readonly provisioners: readonly VolumeProvisioner[];
  readonly dynamicProvisioning: boolean;

  readonly createVolume: (volume: PersistentVolume) => Promise<PersistentVolume>;
  readonly updateVolume: (volume: PersistentVolume) => Promise<PersistentVolume>;
  readonly updateVolumeStatus: (volume: PersistentVolume) => Promise<PersistentVolume>;
  readonly deleteVolume: (volume: PersistentVolume) => Promise<void>;
  readonly updateClaim: (claim: PersistentVolumeClaim) => Promise<PersistentVolumeClaim>;
  readonly updateClaimStatus: (claim: PersistentVolumeClaim) => Promise<PersistentVolumeClaim>;
  readonly createPod: (pod: Pod) => Promise<Pod>;
  readonly deletePod: (pod: Pod) => Promise<void>;
  /** What is said of the pod is repeated on the volume. */
  readonly recyclerStarted: (volume: PersistentVolume, pod: Pod) => void;
  readonly event: (about: PersistentVolume | PersistentVolumeClaim, event: NewEvent) => void;
  readonly queueClaim: (namespace: string, name: string) => void;
}

export function warning(reason: string, note: string): NewEvent {
  return { type: 'Warning', reason, note };
}

export function normal(reason: string, note: string): NewEvent {
  return { type: 'Normal', reason, note };
}
