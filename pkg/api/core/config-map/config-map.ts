import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ConfigMap } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { countOfKeys } from '../immutable-content.ts';
import { validateConfigMap, validateConfigMapUpdate } from './validation.ts';

/** Configuration for programs: texts and bytes by key. */
export const configMap = defineResource<ConfigMap>({
  group: '',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'configmaps',
  versions: [{ groupVersion: 'v1', message: 'core/v1.ConfigMap' }],
  validateName: nameIsDns1123Subdomain,
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Data', type: 'string', description: 'Number of keys, those of binaryData included.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, data, binaryData }, nowMs) => ({
      cells: [metadata.name ?? '', countOfKeys(data) + countOfKeys(binaryData), age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
