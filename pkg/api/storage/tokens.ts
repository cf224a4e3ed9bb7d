import { tokenOf } from '../resource-definition.ts';
import { csiDriver } from './csi-driver/csi-driver.ts';
import { csiNode } from './csi-node/csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity/csi-storage-capacity.ts';
import { storageClass } from './storage-class/storage-class.ts';
import { volumeAttachment } from './volume-attachment/volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class/volume-attributes-class.ts';

export const csiDrivers = tokenOf(csiDriver);
export const csiNodes = tokenOf(csiNode);
export const csiStorageCapacities = tokenOf(csiStorageCapacity);
export const storageClasses = tokenOf(storageClass);
export const volumeAttachments = tokenOf(volumeAttachment);
export const volumeAttributesClasses = tokenOf(volumeAttributesClass);
