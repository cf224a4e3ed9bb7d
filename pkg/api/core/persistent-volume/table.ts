import type { PersistentVolume } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { accessModesText, phaseText, storageClassText, storageText } from '../volume-text.ts';

export const persistentVolumeTable: TableDefinition<PersistentVolume> = {
  columns: [
    NAME_COLUMN,
    { name: 'Capacity', type: 'string', description: 'How much it stores.' },
    { name: 'Access Modes', type: 'string', description: 'Ways in which it can be mounted.' },
    { name: 'Reclaim Policy', type: 'string', description: 'What becomes of it when its claim is gone.' },
    { name: 'Status', type: 'string', description: 'Whether it is available, bound to a claim, released or failed.' },
    { name: 'Claim', type: 'string', description: 'Claim that it is bound to: namespace and name.' },
    { name: 'StorageClass', type: 'string', description: 'StorageClass that it belongs to.' },
    { name: 'VolumeAttributesClass', type: 'string', description: 'VolumeAttributesClass that it has.' },
    { name: 'Reason', type: 'string', description: 'Short word for why it is in its status.' },
    AGE_COLUMN,
    {
      name: 'VolumeMode',
      type: 'string',
      priority: 1,
      description: 'Whether it has a file system or is a raw block device.',
    },
  ],
  row: ({ metadata, spec, status }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      storageText(spec.capacity),
      accessModesText(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      phaseText(metadata, status.phase),
      spec.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`,
      storageClassText(metadata, spec.storageClassName),
      spec.volumeAttributesClassName ?? '<unset>',
      status.reason ?? '',
      age(metadata.creationTimestamp, nowMs),
      spec.volumeMode ?? '<unset>',
    ],
  }),
};
