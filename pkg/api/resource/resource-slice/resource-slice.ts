import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ResourceSlice } from '../../../generated/types/resource-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { RESOURCE_GROUP, RESOURCE_V1 } from '../resource-group.ts';
import { validateResourceSlice, validateResourceSliceUpdate } from './validation.ts';

/** Taints of devices have a time, set when the server first sees them. */
function fillTaintTimes({ spec }: ResourceSlice, now: string): void {
  for (const { taints } of spec.devices ?? []) for (const taint of taints ?? []) taint.timeAdded ??= now;
}

function warnings({ spec }: ResourceSlice): string[] {
  if (spec.driver === spec.driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${goQuote(spec.driver)} contains uppercase characters`];
}

/** Devices that a driver offers. */
export const resourceSlice = defineResource<ResourceSlice>({
  group: RESOURCE_GROUP,
  resource: 'resourceslices',
  kind: 'ResourceSlice',
  singular: 'resourceslice',
  namespaced: false,
  hub: RESOURCE_V1,
  storageVersion: RESOURCE_V1,
  storagePath: 'resourceslices',
  returnDeletedObject: true,
  versions: [{ groupVersion: RESOURCE_V1, message: 'resource/v1.ResourceSlice' }],
  validateName: nameIsDns1123Subdomain,
  generationOf: ({ spec }) => spec,
  prepareForCreate: (slice, { now }) => fillTaintTimes(slice, now),
  prepareForUpdate: (slice, _old, { now }) => fillTaintTimes(slice, now),
  validate: validateResourceSlice,
  validateUpdate: validateResourceSliceUpdate,
  metadataChecksOnUpdate: ['update'],
  warnings,
  fieldLabels: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Node', type: 'string', description: 'The one node that has the devices.' },
      { name: 'Driver', type: 'string', description: 'Driver that offers them.' },
      { name: 'Pool', type: 'string', description: 'Pool that the slice belongs to.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        spec.nodeName ?? '',
        spec.driver,
        spec.pool.name,
        age(metadata.creationTimestamp, nowMs),
      ],
    }),
  },
});
