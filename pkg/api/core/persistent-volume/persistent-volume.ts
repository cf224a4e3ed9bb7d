import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PersistentVolume } from '../../../generated/types/core-v1.ts';
import { defineResource, type StrategyContext } from '../../resource-definition.ts';
import { setPersistentVolumeDefaults } from './defaults.ts';
import { persistentVolumeTable } from './table.ts';
import { persistentVolumeWarnings } from './warnings.ts';
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './validation.ts';

/** The time of a change of phase is that of the request, unless a client sets another; without a change it stays. */
function noteTransition(
  { status }: PersistentVolume,
  { status: old }: PersistentVolume,
  { now }: StrategyContext,
): void {
  const given = status.lastPhaseTransitionTime;
  if (status.phase === old.phase) {
    if (given === undefined && old.lastPhaseTransitionTime !== undefined)
      status.lastPhaseTransitionTime = old.lastPhaseTransitionTime;
  } else if (given === undefined || given === old.lastPhaseTransitionTime) status.lastPhaseTransitionTime = now;
}

/** A piece of storage of the cluster. */
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
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], prepareForUpdate: noteTransition }],
  validateName: nameIsDns1123Subdomain,
  prepareForCreate({ status }, { now }) {
    status.phase = 'Pending';
    status.lastPhaseTransitionTime = now;
  },
  validate: validatePersistentVolume,
  warnings: persistentVolumeWarnings,
  metadataChecksOnUpdate: ['object', 'object'],
  validateUpdate: validatePersistentVolumeUpdate,
  returnDeletedObject: true,
  table: persistentVolumeTable,
});
