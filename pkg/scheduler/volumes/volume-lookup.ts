import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '../../generated/types/storage-v1.ts';

/** Storage as the scheduler sees it: as the server shows it, with what was assumed for pods that are being bound. */
export interface VolumeLookup {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** Volumes of a class that no claim has. */
  availableVolumes(className: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  /** What drivers report of the room for new volumes. */
  storageCapacities(): readonly CSIStorageCapacity[];
}
