import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { CSIDriver } from '../../../generated/types/storage-v1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { STORAGE_GROUP, STORAGE_V1, storageVersions } from '../storage-group.ts';
import { setCsiDriverDefaults } from './defaults.ts';
import { validateCsiDriver, validateCsiDriverUpdate } from './validation.ts';

/** Unlike other kinds, a driver has no generation until its spec first changes. */
function countGeneration(object: CSIDriver, old: CSIDriver): void {
  if (!semanticDeepEqual(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Tokens in the attributes of volumes end up in logs. */
function warnings({ spec }: CSIDriver): string[] {
  if (!spec.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}

const table: TableDefinition<CSIDriver> = {
  columns: [
    NAME_COLUMN,
    {
      name: 'AttachRequired',
      type: 'boolean',
      description: 'Whether volumes have to be attached to a node before they are mounted.',
    },
    {
      name: 'PodInfoOnMount',
      type: 'boolean',
      description: 'Whether the driver gets the pod for which a volume is mounted.',
    },
    {
      name: 'StorageCapacity',
      type: 'boolean',
      description: 'Whether the scheduler looks at the capacity that the driver reports.',
    },
    {
      name: 'TokenRequests',
      type: 'string',
      description: 'Audiences of the service account tokens that the driver is given.',
    },
    {
      name: 'RequiresRepublish',
      type: 'boolean',
      description: 'Whether the driver wants volumes published again from time to time.',
    },
    { name: 'Modes', type: 'string', description: 'How volumes of the driver live: on their own, or with their pod.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, spec }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests === undefined ? '<unset>' : spec.tokenRequests.map((request) => request.audience).join(','),
      spec.requiresRepublish ?? false,
      (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
      age(metadata.creationTimestamp, nowMs),
    ],
  }),
};

/** The cluster's settings of a CSI driver. */
export const csiDriver = defineResource<CSIDriver>({
  group: STORAGE_GROUP,
  resource: 'csidrivers',
  kind: 'CSIDriver',
  singular: 'csidriver',
  namespaced: false,
  hub: STORAGE_V1,
  storageVersion: STORAGE_V1,
  storagePath: 'csidrivers',
  returnDeletedObject: true,
  versions: storageVersions('CSIDriver', { beta: ['1.19', '1.22'], setDefaults: setCsiDriverDefaults }),
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  prepareForUpdate: countGeneration,
  validate: validateCsiDriver,
  validateUpdate: validateCsiDriverUpdate,
  warnings,
  metadataChecksOnUpdate: ['update'],
  table,
});
