import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { VolumeAttachment } from '../../../generated/types/storage-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { keepMetadataForStatus } from '../../status-metadata.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { STORAGE_GROUP, STORAGE_V1, storageVersions } from '../storage-group.ts';
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from './validation.ts';

/** A volume that is, or is to be, attached to a node. */
export const volumeAttachment = defineResource<VolumeAttachment>({
  group: STORAGE_GROUP,
  resource: 'volumeattachments',
  kind: 'VolumeAttachment',
  singular: 'volumeattachment',
  namespaced: false,
  hub: STORAGE_V1,
  storageVersion: STORAGE_V1,
  storagePath: 'volumeattachments',
  returnDeletedObject: true,
  versions: storageVersions('VolumeAttachment', { beta: ['1.19', '1.22'], alpha: true }),
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      groupVersions: [STORAGE_V1],
      prepareForUpdate: keepMetadataForStatus,
      validateUpdate: validateVolumeAttachmentUpdate,
      metadataChecksOnUpdate: ['object', 'object'],
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  validate: validateVolumeAttachment,
  validateUpdate: validateVolumeAttachmentUpdate,
  metadataChecksOnUpdate: ['object', 'object'],
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Attacher', type: 'string', format: 'name', description: 'CSI driver that attaches the volume.' },
      { name: 'PV', type: 'string', description: 'PersistentVolume that is attached.' },
      { name: 'Node', type: 'string', description: 'Node that it is attached to.' },
      { name: 'Attached', type: 'boolean', description: 'Whether the attaching has succeeded.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, spec, status }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        spec.attacher,
        spec.source.persistentVolumeName ?? '',
        spec.nodeName,
        status.attached,
        age(metadata.creationTimestamp, nowMs),
      ],
    }),
  },
});
