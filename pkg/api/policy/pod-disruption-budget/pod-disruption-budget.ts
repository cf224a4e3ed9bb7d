import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { PodDisruptionBudget } from '../../../generated/types/policy-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { v1beta1FromHub, v1beta1ToHub, v1ToHub } from './conversion.ts';
import { disruptionBudgetTable } from './table.ts';
import { validateDisruptionBudget, validateDisruptionBudgetStatusUpdate } from './validation.ts';

export const podDisruptionBudget = defineResource<PodDisruptionBudget>({
  group: 'policy',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  singular: 'poddisruptionbudget',
  shortNames: ['pdb'],
  namespaced: true,
  hub: 'policy/v1',
  versions: [
    { groupVersion: 'policy/v1', message: 'policy/v1.PodDisruptionBudget', toHub: v1ToHub },
    {
      groupVersion: 'policy/v1beta1',
      message: 'policy/v1beta1.PodDisruptionBudget',
      toHub: v1beta1ToHub,
      fromHub: v1beta1FromHub,
      deprecation: { deprecatedIn: '1.21', removedIn: '1.25', replacement: 'policy/v1' },
    },
  ],
  storageVersion: 'policy/v1',
  storagePath: 'poddisruptionbudgets',
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      metadataChecksOnUpdate: [],
      validateUpdate: validateDisruptionBudgetStatusUpdate,
    },
  ],
  // Stock servers check nothing else of a budget's name.
  validateName: nameIsPathSegment,
  metadataChecksOnUpdate: [],
  generationOf: ({ spec }) => spec,
  validate: validateDisruptionBudget,
  validateUpdate: (object, _old, errors) => validateDisruptionBudget(object, errors),
  // Evictions are counted in the status: unconditional updates could lose them.
  allowUnconditionalUpdate: false,
  table: disruptionBudgetTable,
});
