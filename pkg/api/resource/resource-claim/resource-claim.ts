import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ResourceClaim } from '../../../generated/types/resource-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { keepMetadataForStatus } from '../../status-metadata.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { RESOURCE_GROUP, RESOURCE_V1 } from '../resource-group.ts';
import { dropStatusOfReleasedDevices } from './allocated-devices.ts';
import { setDeviceClaimDefaults } from './defaults.ts';
import { validateDeviceClaim } from './spec-validation.ts';
import { validateClaimStatusUpdate } from './status-validation.ts';

/** `pending`, or its states: `deleted,allocated,reserved`. */
function stateOf({ metadata, status }: ResourceClaim): string {
  const states: string[] = [];
  if (metadata.deletionTimestamp !== undefined) states.push('deleted');
  if (status.allocation !== undefined) states.push('allocated');
  else if (metadata.deletionTimestamp === undefined) states.push('pending');
  if (status.allocation !== undefined && (status.reservedFor?.length ?? 0) > 0) states.push('reserved');
  return states.join(',');
}

/** A request for devices, and its result. */
export const resourceClaim = defineResource<ResourceClaim>({
  group: RESOURCE_GROUP,
  resource: 'resourceclaims',
  kind: 'ResourceClaim',
  singular: 'resourceclaim',
  namespaced: true,
  hub: RESOURCE_V1,
  storageVersion: RESOURCE_V1,
  storagePath: 'resourceclaims',
  returnDeletedObject: true,
  versions: [
    {
      groupVersion: RESOURCE_V1,
      message: 'resource/v1.ResourceClaim',
      setDefaults: ({ spec }: ResourceClaim) => setDeviceClaimDefaults(spec.devices),
    },
  ],
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate(object, old) {
        keepMetadataForStatus(object, old);
        dropStatusOfReleasedDevices(object, old);
      },
      validateUpdate: validateClaimStatusUpdate,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  validate: ({ spec }, errors) => validateDeviceClaim(spec.devices, field('spec', 'devices'), errors),
  validateUpdate: (object, old, errors) => validateImmutableField(object.spec, old.spec, field('spec'), errors),
  metadataChecksOnUpdate: ['object', 'update'],
  table: {
    columns: [
      NAME_COLUMN,
      {
        name: 'State',
        type: 'string',
        description:
          'Whether devices are allocated, for whom they are reserved, and whether the claim is being deleted.',
      },
      AGE_COLUMN,
    ],
    row: (claim, nowMs) => ({
      cells: [claim.metadata.name ?? '', stateOf(claim), age(claim.metadata.creationTimestamp, nowMs)],
    }),
  },
});
