import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';

/** What a provisioner is asked for. */
export interface ProvisionRequest {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** The node of the pod that waits for the volume, where the class waits for one. */
  readonly nodeName?: string;
}

/** What a provisioner made: the source of the volume, and what else is its own. */
export interface ProvisionedVolume {
  readonly source: Partial<PersistentVolume['spec']>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Used where the claim asks for none. */
  readonly accessModes: readonly string[];
}

/** Makes and removes the volumes of one kind, in the controller manager itself. What it throws is shown to users. */
export interface VolumeProvisioner {
  /** As in `provisioner` of storage classes. */
  readonly name: string;
  /** Whether classes may name it; without, it only deletes volumes. */
  readonly provisions: boolean;
  readonly supportsMountOptions: boolean;
  /** Whether the volume is of its kind. */
  owns(volume: PersistentVolume): boolean;
  provision(request: ProvisionRequest): Promise<ProvisionedVolume>;
  /** Removes the data of a volume; the object is deleted after that. */
  delete(volume: PersistentVolume): Promise<void>;
}
