import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Secret } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { countOfKeys } from '../immutable-content.ts';
import { mergeStringData } from './string-data.ts';
import { validateSecret, validateSecretUpdate } from './validation.ts';

/** Passwords, tokens and keys, as bytes by key. */
export const secret = defineResource<Secret>({
  group: '',
  resource: 'secrets',
  kind: 'Secret',
  singular: 'secret',
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'secrets',
  versions: [
    {
      groupVersion: 'v1',
      message: 'core/v1.Secret',
      setDefaults(object: Secret): void {
        object.type ||= 'Opaque';
      },
      toHub: mergeStringData,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  fieldLabels: { type: (object) => object.type ?? '' },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Type', type: 'string', description: 'What the secret holds and which keys it must have.' },
      { name: 'Data', type: 'string', description: 'Number of keys.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, type, data }, nowMs) => ({
      cells: [metadata.name ?? '', type ?? '', countOfKeys(data), age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
