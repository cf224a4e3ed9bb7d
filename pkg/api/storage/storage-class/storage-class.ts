import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { StorageClass } from '../../../generated/types/storage-v1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { STORAGE_GROUP, STORAGE_V1, storageVersions } from '../storage-group.ts';
import { validateStorageClass, validateStorageClassUpdate } from './validation.ts';

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function setDefaults(object: StorageClass): void {
  object.reclaimPolicy ??= 'Delete';
  object.volumeBindingMode ??= 'Immediate';
}

/** Claims that name no class get this one. */
function isDefaultClass({ metadata }: StorageClass): boolean {
  return DEFAULT_ANNOTATIONS.some((key) => metadata.annotations?.[key] === 'true');
}

const table: TableDefinition<StorageClass> = {
  columns: [
    NAME_COLUMN,
    { name: 'Provisioner', type: 'string', description: 'What makes the volumes of the class.' },
    { name: 'ReclaimPolicy', type: 'string', description: 'What becomes of a volume when its claim goes.' },
    {
      name: 'VolumeBindingMode',
      type: 'string',
      description: 'When claims are bound: at once, or when a pod needs them.',
    },
    { name: 'AllowVolumeExpansion', type: 'string', description: 'Whether claims may grow.' },
    AGE_COLUMN,
  ],
  row: (object, nowMs) => ({
    cells: [
      `${object.metadata.name ?? ''}${isDefaultClass(object) ? ' (default)' : ''}`,
      object.provisioner,
      object.reclaimPolicy ?? 'Delete',
      object.volumeBindingMode ?? 'Immediate',
      object.allowVolumeExpansion ?? false,
      age(object.metadata.creationTimestamp, nowMs),
    ],
  }),
};

/** A kind of storage that claims can ask for by name. */
export const storageClass = defineResource<StorageClass>({
  group: STORAGE_GROUP,
  resource: 'storageclasses',
  kind: 'StorageClass',
  singular: 'storageclass',
  shortNames: ['sc'],
  namespaced: false,
  hub: STORAGE_V1,
  storageVersion: STORAGE_V1,
  storagePath: 'storageclasses',
  returnDeletedObject: true,
  versions: storageVersions('StorageClass', { beta: ['1.19', '1.22'], setDefaults }),
  validateName: nameIsDns1123Subdomain,
  validate: validateStorageClass,
  validateUpdate: validateStorageClassUpdate,
  table,
});
