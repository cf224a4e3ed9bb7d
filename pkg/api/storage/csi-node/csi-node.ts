import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { CSINode } from '../../../generated/types/storage-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { STORAGE_GROUP, STORAGE_V1, storageVersions } from '../storage-group.ts';
import { validateCsiNode, validateCsiNodeUpdate } from './validation.ts';

/** The CSI drivers that run on a node. */
export const csiNode = defineResource<CSINode>({
  group: STORAGE_GROUP,
  resource: 'csinodes',
  kind: 'CSINode',
  singular: 'csinode',
  namespaced: false,
  hub: STORAGE_V1,
  storageVersion: STORAGE_V1,
  storagePath: 'csinodes',
  returnDeletedObject: true,
  versions: storageVersions('CSINode', { beta: ['1.17', '1.22'] }),
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  validate: validateCsiNode,
  validateUpdate: validateCsiNodeUpdate,
  metadataChecksOnUpdate: ['object', 'object'],
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Drivers', type: 'integer', description: 'How many CSI drivers run on the node.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [metadata.name ?? '', spec.drivers?.length ?? 0, age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
