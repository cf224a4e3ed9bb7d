import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Node } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { matchPodCidrs } from './conversion.ts';
import { setNodeDefaults } from './defaults.ts';
import { nodeTable } from './table.ts';
import { nodeWarnings, validateNode, validateNodeUpdate } from './validation.ts';

/** A machine that runs pods. */
export const node = defineResource<Node>({
  group: '',
  resource: 'nodes',
  kind: 'Node',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'minions',
  versions: [{ groupVersion: 'v1', message: 'core/v1.Node', setDefaults: setNodeDefaults, toHub: matchPodCidrs }],
  subresources: [
    {
      name: 'proxy',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      body: { group: '', version: 'v1', kind: 'NodeProxyOptions' },
    },
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      validateUpdate: validateNodeUpdate,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  // Agents register their nodes with a full status.
  keepsStatusOnCreate: true,
  validate: validateNode,
  metadataChecksOnUpdate: ['object', 'update'],
  validateUpdate(object, old, errors) {
    validateNode(object, errors);
    validateNodeUpdate(object, old, errors);
  },
  warnings: nodeWarnings,
  fieldLabels: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
  table: nodeTable,
});
