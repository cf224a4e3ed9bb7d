import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { PersistentVolumeClaim } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { roundResourceList } from '../pod-spec/resource-list.ts';
import { claimSpecWarnings } from './claim-spec-warnings.ts';
import { normalizeDataSources } from './data-sources.ts';
import { persistentVolumeClaimTable } from './table.ts';
import { validateClaim, validateClaimStatus, validateClaimUpdate } from './validation.ts';

/** A namespace's request for a persistent volume. */
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
  warnings: claimWarnings,
  prepareForUpdate(object, old) {
    normalizeDataSources(object.spec, old.spec);
  },
  metadataChecksOnUpdate: ['object', 'update', 'object'],
  validateUpdate: validateClaimUpdate,
  returnDeletedObject: true,
  table: persistentVolumeClaimTable,
});

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

function claimWarnings({ metadata, spec }: PersistentVolumeClaim): string[] {
  const warnings: string[] = [];
  if (getKey(metadata.annotations, BETA_CLASS) !== undefined)
    warnings.push(
      `metadata.annotations[${BETA_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  return [...warnings, ...claimSpecWarnings(spec, field('spec'))];
}

function setClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ||= 'Pending';
  spec.volumeMode ??= 'Filesystem';
  for (const list of [spec.resources.limits, spec.resources.requests, status.capacity, status.allocatedResources])
    roundResourceList(list);
}
