import type { ApiGroup } from '../api-group.ts';
import { csiDriver } from './csi-driver/csi-driver.ts';
import { csiNode } from './csi-node/csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity/csi-storage-capacity.ts';
import { storageClass } from './storage-class/storage-class.ts';
import { volumeAttachment } from './volume-attachment/volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class/volume-attributes-class.ts';

export const storageGroup: ApiGroup = {
  name: 'storage.k8s.io',
  priority: 16800,
  resources: [csiDriver, csiNode, csiStorageCapacity, storageClass, volumeAttachment, volumeAttributesClass],
};
