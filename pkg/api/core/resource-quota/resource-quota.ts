import { deepEqual } from '../../../apimachinery/json/deep.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ResourceQuota } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { roundResourceList } from '../pod-spec/resource-list.ts';
import { resourceQuotaTable } from './table.ts';
import { validateResourceQuota, validateResourceQuotaStatus, validateResourceQuotaUpdate } from './validation.ts';

/** Bounds for the total usage of a namespace's objects. */
export const resourceQuota = defineResource<ResourceQuota>({
  group: '',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  singular: 'resourcequota',
  shortNames: ['quota'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'resourcequotas',
  versions: [
    {
      groupVersion: 'v1',
      message: 'core/v1.ResourceQuota',
      setDefaults({ spec, status }: ResourceQuota): void {
        for (const list of [spec.hard, status.hard, status.used]) roundResourceList(list);
      },
    },
  ],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateResourceQuotaStatus }],
  validateName: nameIsDns1123Subdomain,
  validate: validateResourceQuota,
  metadataChecksOnUpdate: ['update'],
  prepareForUpdate(object, old) {
    // Usage that was counted by another selector is wrong.
    if (!deepEqual(object.spec.scopeSelector, old.spec.scopeSelector)) object.status = {};
  },
  validateUpdate: validateResourceQuotaUpdate,
  returnDeletedObject: true,
  table: resourceQuotaTable,
});
