import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PriorityClass } from '../../../generated/types/scheduling-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { refuseSystemClassDelete, validatePriorityClass, validatePriorityClassUpdate } from './validation.ts';

function setDefaults(object: PriorityClass): void {
  object.preemptionPolicy ??= 'PreemptLowerPriority';
}

/** A name for how important pods are. */
export const priorityClass = defineResource<PriorityClass>({
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  singular: 'priorityclass',
  shortNames: ['pc'],
  namespaced: false,
  hub: 'scheduling.k8s.io/v1',
  storageVersion: 'scheduling.k8s.io/v1',
  storagePath: 'priorityclasses',
  versions: [
    { groupVersion: 'scheduling.k8s.io/v1', message: 'scheduling/v1.PriorityClass', setDefaults },
    {
      groupVersion: 'scheduling.k8s.io/v1beta1',
      message: 'scheduling/v1beta1.PriorityClass',
      setDefaults,
      deprecation: { deprecatedIn: '1.14', removedIn: '1.22', replacement: 'scheduling.k8s.io/v1' },
    },
    {
      groupVersion: 'scheduling.k8s.io/v1alpha1',
      message: 'scheduling/v1alpha1.PriorityClass',
      served: false,
      setDefaults,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  // Stays at one: the relevant fields of a class do not change.
  generationOf: () => null,
  validate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
  metadataChecksOnUpdate: ['update'],
  refuseDelete: refuseSystemClassDelete,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Value', type: 'integer', description: 'Priority of pods of the class: the higher, the more important.' },
      { name: 'Global-Default', type: 'boolean', description: 'Whether pods that name no class are of this one.' },
      AGE_COLUMN,
      {
        name: 'PreemptionPolicy',
        type: 'string',
        description: 'Whether pods of the class may have others of lower priority evicted.',
      },
    ],
    row: ({ metadata, value, globalDefault, preemptionPolicy }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        value,
        globalDefault ?? false,
        age(metadata.creationTimestamp, nowMs),
        preemptionPolicy ?? 'PreemptLowerPriority',
      ],
    }),
  },
});
