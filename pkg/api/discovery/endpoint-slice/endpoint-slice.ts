import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { EndpointSlice } from '../../../generated/types/discovery-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { sliceFromBeta, sliceToBeta } from './conversion.ts';
import { setEndpointSliceDefaults } from './defaults.ts';
import { prepareForCreate, prepareForUpdate } from './strategy.ts';
import { endpointSliceTable } from './table.ts';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validation.ts';

/** Some of the endpoints of a service. */
export const endpointSlice = defineResource<EndpointSlice>({
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  singular: 'endpointslice',
  namespaced: true,
  hub: 'discovery.k8s.io/v1',
  storageVersion: 'discovery.k8s.io/v1',
  storagePath: 'endpointslices',
  versions: [
    {
      groupVersion: 'discovery.k8s.io/v1',
      message: 'discovery/v1.EndpointSlice',
      setDefaults: setEndpointSliceDefaults,
    },
    {
      groupVersion: 'discovery.k8s.io/v1beta1',
      message: 'discovery/v1beta1.EndpointSlice',
      setDefaults: setEndpointSliceDefaults,
      toHub: sliceFromBeta,
      fromHub: sliceToBeta,
      deprecation: { deprecatedIn: '1.21', removedIn: '1.25', replacement: 'discovery.k8s.io/v1' },
    },
  ],
  validateName: nameIsDns1123Subdomain,
  // Labels name the service of a slice: they count as well.
  generationOf: ({ metadata, ...rest }) => ({ ...rest, labels: metadata.labels }),
  prepareForCreate,
  prepareForUpdate,
  validate: validateEndpointSlice,
  validateUpdate: validateEndpointSliceUpdate,
  metadataChecksOnUpdate: ['object'],
  table: endpointSliceTable,
});
