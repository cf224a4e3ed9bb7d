import { nameIsDns1035Label } from '../../../apimachinery/names/names.ts';
import type { Service } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { dropTypeDependentFields, normalizeClusterIps, patchAllocatedValues } from './allocation-rules.ts';
import { setServiceDefaults } from './defaults.ts';
import { validateServiceStatus } from './status-validation.ts';
import { serviceTable } from './table.ts';
import { validateServiceUpdate } from './update-validation.ts';
import { validateService } from './validation.ts';

/**
 * One name and address for a set of pods. Cluster IPs and node ports are allocated around these rules, before
 * validation.
 */
export const service = defineResource<Service>({
  group: '',
  resource: 'services',
  kind: 'Service',
  singular: 'service',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'services/specs',
  versions: [{ groupVersion: 'v1', message: 'core/v1.Service', setDefaults: setServiceDefaults }],
  subresources: [
    {
      name: 'proxy',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      body: { group: '', version: 'v1', kind: 'ServiceProxyOptions' },
    },
    { name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateServiceStatus },
  ],
  validateName: nameIsDns1035Label,
  prepareForCreate: (object) => normalizeClusterIps(object, undefined),
  validate: validateService,
  prepareForUpdate(object, old) {
    // Harmless where the allocator has done them already.
    patchAllocatedValues(object, old);
    normalizeClusterIps(object, old);
    dropTypeDependentFields(object, old);
  },
  validateUpdate: validateServiceUpdate,
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  fieldLabels: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
  table: serviceTable,
});
