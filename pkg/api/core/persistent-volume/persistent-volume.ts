import { nameIsDns1123Subdomain } from '../../../apimachinery/names.ts';
import type { PersistentVolume } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { setPersistentVolumeDefaults } from './defaults.ts';
import { persistentVolumeTable } from './table.ts';
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './validation.ts';

/** A piece of storage that the cluster knows. */
export const persistentVolume = defineResource<PersistentVolume>({
  group: '',
  resource: 'persistentvolumes',
  kind: 'PersistentVolume',
  singular: 'persistentvolume',
  shortNames: ['pv'],
  namespaced: false,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'persistentvolumes',
  versions: [{ groupVersion: 'v1', message: 'core/v1.PersistentVolume', setDefaults: setPersistentVolumeDefaults }],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  validateName: nameIsDns1123Subdomain,
  prepareForCreate({ status }) {
    status.phase = 'Pending';
  },
  validate: validatePersistentVolume,
  metadataChecksOnUpdate: ['object', 'object'],
  validateUpdate: validatePersistentVolumeUpdate,
  returnDeletedObject: true,
  table: persistentVolumeTable,
});
