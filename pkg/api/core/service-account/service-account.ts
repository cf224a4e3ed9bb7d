import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ServiceAccount } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

/** An identity for programs. */
export const serviceAccount = defineResource<ServiceAccount>({
  group: '',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'serviceaccounts',
  versions: [{ groupVersion: 'v1', message: 'core/v1.ServiceAccount' }],
  subresources: [
    { name: 'token', verbs: ['create'], body: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } },
  ],
  validateName: nameIsDns1123Subdomain,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  returnDeletedObject: true,
  table: {
    columns: [NAME_COLUMN, AGE_COLUMN],
    row: ({ metadata }, nowMs) => ({ cells: [metadata.name ?? '', age(metadata.creationTimestamp, nowMs)] }),
  },
});

/** Secrets are those of the account's own namespace: only their names count. */
function keepSecretNames(object: ServiceAccount): void {
  if (object.secrets !== undefined) object.secrets = object.secrets.map(({ name }) => (name ? { name } : {}));
}
