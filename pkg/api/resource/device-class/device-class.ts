import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { DeviceClass } from '../../../generated/types/resource-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { RESOURCE_GROUP, RESOURCE_V1 } from '../resource-group.ts';
import { validateDeviceClass, validateDeviceClassUpdate } from './validation.ts';

/** A kind of device that claims request by name. */
export const deviceClass = defineResource<DeviceClass>({
  group: RESOURCE_GROUP,
  resource: 'deviceclasses',
  kind: 'DeviceClass',
  singular: 'deviceclass',
  namespaced: false,
  hub: RESOURCE_V1,
  storageVersion: RESOURCE_V1,
  storagePath: 'deviceclasses',
  returnDeletedObject: true,
  versions: [{ groupVersion: RESOURCE_V1, message: 'resource/v1.DeviceClass' }],
  validateName: nameIsDns1123Subdomain,
  generationOf: ({ spec }) => spec,
  validate: validateDeviceClass,
  validateUpdate: validateDeviceClassUpdate,
  metadataChecksOnUpdate: ['object', 'update'],
  table: {
    columns: [NAME_COLUMN, AGE_COLUMN],
    row: ({ metadata }, nowMs) => ({ cells: [metadata.name ?? '', age(metadata.creationTimestamp, nowMs)] }),
  },
});
