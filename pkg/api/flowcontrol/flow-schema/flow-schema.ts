import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { FlowSchema } from '../../../generated/types/flowcontrol-v1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { keepMetadataForStatus } from '../../status-metadata.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateFlowcontrolConditions } from '../condition-validation.ts';
import { FLOWCONTROL_GROUP, FLOWCONTROL_V1, flowcontrolVersions } from '../flowcontrol-group.ts';
import { validateFlowSchema } from './validation.ts';

const DEFAULT_PRECEDENCE = 1000;

function setDefaults({ spec }: FlowSchema): void {
  spec.matchingPrecedence ||= DEFAULT_PRECEDENCE;
}

const table: TableDefinition<FlowSchema> = {
  columns: [
    NAME_COLUMN,
    { name: 'PriorityLevel', type: 'string', description: 'Priority level that matching requests have.' },
    {
      name: 'MatchingPrecedence',
      type: 'string',
      description: 'Of all schemas that match, the one with the lowest number counts.',
    },
    { name: 'DistinguisherMethod', type: 'string', description: 'How requests are sorted into flows.' },
    AGE_COLUMN,
    { name: 'MissingPL', type: 'string', description: 'Whether the priority level does not exist.' },
  ],
  row: ({ metadata, spec, status }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      spec.priorityLevelConfiguration.name,
      spec.matchingPrecedence,
      spec.distinguisherMethod?.type ?? '<none>',
      age(metadata.creationTimestamp, nowMs),
      status.conditions?.find((condition) => condition.type === 'Dangling')?.status ?? '?',
    ],
  }),
};

/** Sorts requests into priority levels and flows. */
export const flowSchema = defineResource<FlowSchema>({
  group: FLOWCONTROL_GROUP,
  resource: 'flowschemas',
  kind: 'FlowSchema',
  singular: 'flowschema',
  namespaced: false,
  hub: FLOWCONTROL_V1,
  storageVersion: FLOWCONTROL_V1,
  storagePath: 'flowschemas',
  versions: flowcontrolVersions('FlowSchema', setDefaults, () => ({ setDefaults })),
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate: keepMetadataForStatus,
      validateUpdate: (object, _old, errors) => validateFlowcontrolConditions(object.status.conditions, errors),
      metadataChecksOnUpdate: [],
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  generationOf: (object) => object.spec,
  validate: validateFlowSchema,
  validateUpdate: (object, _old, errors) => validateFlowSchema(object, errors),
  metadataChecksOnUpdate: ['object'],
  table,
});
