import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Ingress } from '../../../generated/types/networking-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { ingressFromV1, ingressToV1 } from './conversion.ts';
import { setBetaDefaults } from './defaults.ts';
import { validateIngressStatus } from './status-validation.ts';
import { ingressTable } from './table.ts';
import { ingressWarnings, validateIngress, validateIngressUpdate } from './validation.ts';

/** Rules by which HTTP requests from outside reach services. */
export const ingress = defineResource<Ingress>({
  group: 'networking.k8s.io',
  errorGroup: 'extensions',
  resource: 'ingresses',
  kind: 'Ingress',
  singular: 'ingress',
  shortNames: ['ing'],
  namespaced: true,
  hub: 'networking.k8s.io/v1',
  storageVersion: 'networking.k8s.io/v1',
  storagePath: 'ingress',
  versions: [
    { groupVersion: 'networking.k8s.io/v1', message: 'networking/v1.Ingress' },
    {
      groupVersion: 'networking.k8s.io/v1beta1',
      message: 'networking/v1beta1.Ingress',
      setDefaults: setBetaDefaults,
      toHub: ingressToV1,
      fromHub: ingressFromV1,
      deprecation: { deprecatedIn: '1.19', removedIn: '1.22', replacement: 'networking.k8s.io/v1' },
    },
    {
      groupVersion: 'extensions/v1beta1',
      message: 'extensions/v1beta1.Ingress',
      setDefaults: setBetaDefaults,
      toHub: ingressToV1,
      fromHub: ingressFromV1,
      deprecation: { deprecatedIn: '1.14', removedIn: '1.22', replacement: 'networking.k8s.io/v1' },
    },
  ],
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      validateUpdate: (object, _old, errors) => validateIngressStatus(object, errors),
    },
  ],
  validateName: nameIsDns1123Subdomain,
  generationOf: (object) => object.spec,
  validate: validateIngress,
  validateUpdate: validateIngressUpdate,
  warnings: ingressWarnings,
  table: ingressTable,
});
