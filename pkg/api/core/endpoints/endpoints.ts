import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Endpoints } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { endpointsTable } from './table.ts';
import { validateEndpoints } from './validation.ts';

/** The addresses behind a service of the same name. */
export const endpoints = defineResource<Endpoints>({
  group: '',
  resource: 'endpoints',
  kind: 'Endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'services/endpoints',
  versions: [
    {
      groupVersion: 'v1',
      message: 'core/v1.Endpoints',
      deprecation: {
        deprecatedIn: '1.33',
        replacement: 'discovery.k8s.io/v1',
        replacementKind: 'EndpointSlice',
      },
      setDefaults({ subsets }: Endpoints): void {
        for (const { ports } of subsets ?? []) for (const port of ports ?? []) port.protocol ||= 'TCP';
      },
    },
  ],
  validateName: nameIsDns1123Subdomain,
  validate: validateEndpoints,
  validateUpdate: (object, _old, errors) => validateEndpoints(object, errors),
  allowCreateOnUpdate: true,
  table: endpointsTable,
});
