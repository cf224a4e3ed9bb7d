import { nameIsDns1123Subdomain } from '../../../apimachinery/names.ts';
import type { PersistentVolumeClaim } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { roundResourceList } from '../pod-spec/resource-list.ts';
import { normalizeDataSources } from './data-sources.ts';
import { persistentVolumeClaimTable } from './table.ts';
import { validateClaim, validateClaimStatus, validateClaimUpdate } from './validation.ts';

/** What a namespace asks of a persistent volume. */
export const persistentVolumeClaim = defineResource<PersistentVolumeClaim>({
  group: '',
  resource: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  singular: 'persistentvolumeclaim',
  shortNames: ['pvc'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'persistentvolumeclaims',
  versions: [{ groupVersion: 'v1', message: 'core/v1.PersistentVolumeClaim', setDefaults: setClaimDefaults }],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateClaimStatus }],
  validateName: nameIsDns1123Subdomain,
  prepareForCreate({ spec, status }) {
    status.phase = 'Pending';
    normalizeDataSources(spec, undefined);
  },
  validate: validateClaim,
  prepareForUpdate(object, old) {
    normalizeDataSources(object.spec, old.spec);
  },
  metadataChecksOnUpdate: ['object', 'update', 'object'],
  validateUpdate: validateClaimUpdate,
  returnDeletedObject: true,
  table: persistentVolumeClaimTable,
});

function setClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ||= 'Pending';
  spec.volumeMode ??= 'Filesystem';
  for (const list of [spec.resources.limits, spec.resources.requests, status.capacity, status.allocatedResources]) roundResourceList(list);
}
