import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { APIService, APIServiceStatus } from '../../../generated/types/apiregistration-v1.ts';
import { defineResource, type StrategyContext, type TableDefinition } from '../../resource-definition.ts';
import { keepMetadataForStatus } from '../../status-metadata.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateApiService, validateApiServiceStatus } from './validation.ts';

const V1 = 'apiregistration.k8s.io/v1';
const BETA = 'apiregistration.k8s.io/v1beta1';

function setDefaults({ spec }: APIService): void {
  if (spec.service !== undefined) spec.service.port ??= 443;
}

/** A local version is available at once. */
function markLocalAvailable(object: APIService, { now }: StrategyContext): void {
  if (object.spec.service !== undefined) return;
  object.status.conditions = [
    {
      type: 'Available',
      status: 'True',
      lastTransitionTime: now,
      reason: 'Local',
      message: 'Local APIServices are always available',
    },
  ];
}

const table: TableDefinition<APIService> = {
  columns: [
    NAME_COLUMN,
    { name: 'Service', type: 'string', description: 'Service that answers for the version, or Local.' },
    { name: 'Available', type: 'string', description: 'Whether it answers, and why not.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, spec, status }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      spec.service === undefined ? 'Local' : `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}`,
      availability(status),
      age(metadata.creationTimestamp, nowMs),
    ],
  }),
};

function availability(status: APIServiceStatus): string {
  const condition = status.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' || !condition.reason
    ? condition.status
    : `${condition.status} (${condition.reason})`;
}

/** The server of a version of an API group. */
export const apiService = defineResource<APIService>({
  group: 'apiregistration.k8s.io',
  resource: 'apiservices',
  kind: 'APIService',
  singular: 'apiservice',
  categories: ['api-extensions'],
  namespaced: false,
  hub: V1,
  storageVersion: V1,
  storagePath: 'apiregistration.k8s.io/apiservices',
  storageEncoding: 'json',
  versions: [
    { groupVersion: V1, message: 'apiregistration/v1.APIService', setDefaults },
    {
      groupVersion: BETA,
      message: 'apiregistration/v1beta1.APIService',
      setDefaults,
      deprecation: { deprecatedIn: '1.19', removedIn: '1.22', replacement: V1 },
    },
  ],
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate: keepMetadataForStatus,
      validateUpdate: (object, _old, errors) => validateApiServiceStatus(object, errors),
    },
  ],
  // The check of the spec includes that the name consists of version and group.
  validateName: nameIsPathSegment,
  allowUnconditionalUpdate: false,
  prepareForCreate: markLocalAvailable,
  prepareForUpdate(object, old, context) {
    if (old.spec.service !== undefined) markLocalAvailable(object, context);
  },
  validate: validateApiService,
  validateUpdate: (object, _old, errors) => validateApiService(object, errors),
  table,
});
