import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { NetworkPolicy } from '../../../generated/types/networking-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age, labelSelectorText } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { setNetworkPolicyDefaults } from './defaults.ts';
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from './validation.ts';

/** Which traffic the selected pods accept and send. */
export const networkPolicy = defineResource<NetworkPolicy>({
  group: 'networking.k8s.io',
  errorGroup: 'extensions',
  resource: 'networkpolicies',
  kind: 'NetworkPolicy',
  singular: 'networkpolicy',
  shortNames: ['netpol'],
  namespaced: true,
  hub: 'networking.k8s.io/v1',
  storageVersion: 'networking.k8s.io/v1',
  storagePath: 'networkpolicies',
  versions: [
    {
      groupVersion: 'networking.k8s.io/v1',
      message: 'networking/v1.NetworkPolicy',
      setDefaults: setNetworkPolicyDefaults,
    },
    {
      groupVersion: 'extensions/v1beta1',
      message: 'extensions/v1beta1.NetworkPolicy',
      setDefaults: setNetworkPolicyDefaults,
      deprecation: { deprecatedIn: '1.9', removedIn: '1.16', replacement: 'networking.k8s.io/v1' },
    },
  ],
  validateName: nameIsDns1123Subdomain,
  generationOf: (object) => object.spec,
  validate: validateNetworkPolicy,
  validateUpdate: validateNetworkPolicyUpdate,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Pod-Selector', type: 'string', description: 'Labels of the pods that the policy is about.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [metadata.name ?? '', labelSelectorText(spec.podSelector), age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
