import type { PersistentVolumeClaim } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { accessModesText, phaseText, storageClassText, storageText } from '../volume-text.ts';

export const persistentVolumeClaimTable: TableDefinition<PersistentVolumeClaim> = {
  columns: [
    NAME_COLUMN,
    { name: 'Status', type: 'string', description: 'Whether it waits for a volume, is bound to one, or has lost it.' },
    { name: 'Volume', type: 'string', description: 'Volume that it is bound to.' },
    { name: 'Capacity', type: 'string', description: 'How much the volume stores.' },
    { name: 'Access Modes', type: 'string', description: 'Ways in which the volume can be mounted.' },
    { name: 'StorageClass', type: 'string', description: 'Requested StorageClass.' },
    { name: 'VolumeAttributesClass', type: 'string', description: 'Requested VolumeAttributesClass.' },
    AGE_COLUMN,
    {
      name: 'VolumeMode',
      type: 'string',
      priority: 1,
      description: 'Whether it wants a file system or a raw block device.',
    },
  ],
  row: ({ metadata, spec, status }, nowMs) => {
    const isBound = Boolean(spec.volumeName);
    return {
      cells: [
        metadata.name ?? '',
        phaseText(metadata, status.phase),
        spec.volumeName ?? '',
        isBound ? storageText(status.capacity) : '',
        isBound ? accessModesText(status.accessModes) : '',
        storageClassText(metadata, spec.storageClassName),
        spec.volumeAttributesClassName ?? '<unset>',
        age(metadata.creationTimestamp, nowMs),
        spec.volumeMode ?? '<unset>',
      ],
    };
  },
};
