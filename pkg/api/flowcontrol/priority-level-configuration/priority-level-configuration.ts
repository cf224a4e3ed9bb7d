import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PriorityLevelConfiguration } from '../../../generated/types/flowcontrol-v1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { keepMetadataForStatus } from '../../status-metadata.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateFlowcontrolConditions } from '../condition-validation.ts';
import { type BetaVersion, FLOWCONTROL_GROUP, FLOWCONTROL_V1, flowcontrolVersions } from '../flowcontrol-group.ts';
import { levelFromBeta2, levelFromBeta3, levelToBeta2, levelToBeta3 } from './conversion.ts';
import { setBeta2Defaults, setBeta3Defaults, setDefaults } from './defaults.ts';
import { validatePriorityLevel } from './validation.ts';

function betaHooks(version: BetaVersion) {
  if (version === 'v1beta3') return { setDefaults: setBeta3Defaults, toHub: levelFromBeta3, fromHub: levelToBeta3 };
  return { setDefaults: setBeta2Defaults, toHub: levelFromBeta2, fromHub: levelToBeta2 };
}

const table: TableDefinition<PriorityLevelConfiguration> = {
  columns: [
    NAME_COLUMN,
    { name: 'Type', type: 'string', description: 'Whether requests of the level are limited.' },
    {
      name: 'NominalConcurrencyShares',
      type: 'string',
      description: 'Its part of the requests that the server handles at once.',
    },
    { name: 'Queues', type: 'string', description: 'How many queues requests wait in.' },
    { name: 'HandSize', type: 'string', description: 'How many of the queues one flow may use.' },
    { name: 'QueueLengthLimit', type: 'string', description: 'How many requests wait in one queue.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, spec }, nowMs) => {
    const queuing = spec.limited?.limitResponse.queuing;
    return {
      cells: [
        metadata.name ?? '',
        spec.type,
        spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares ?? '<none>',
        queuing?.queues ?? '<none>',
        queuing?.handSize ?? '<none>',
        queuing?.queueLengthLimit ?? '<none>',
        age(metadata.creationTimestamp, nowMs),
      ],
    };
  },
};

/** How many requests of a level are handled at once, and how the others wait. */
export const priorityLevelConfiguration = defineResource<PriorityLevelConfiguration>({
  group: FLOWCONTROL_GROUP,
  resource: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
  singular: 'prioritylevelconfiguration',
  namespaced: false,
  hub: FLOWCONTROL_V1,
  storageVersion: FLOWCONTROL_V1,
  storagePath: 'prioritylevelconfigurations',
  versions: flowcontrolVersions('PriorityLevelConfiguration', setDefaults, betaHooks),
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
  validate: validatePriorityLevel,
  validateUpdate: (object, _old, errors, context) => validatePriorityLevel(object, errors, context),
  metadataChecksOnUpdate: ['object'],
  table,
});
