import type { PodDisruptionBudget } from '../../../generated/types/policy-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';

export const disruptionBudgetTable: TableDefinition<PodDisruptionBudget> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the budget, unique in its namespace.' },
    { name: 'Min Available', type: 'string', description: 'Pods that must be left, as a number or percentage.' },
    { name: 'Max Unavailable', type: 'string', description: 'Pods that may be missing, as a number or percentage.' },
    { name: 'Allowed Disruptions', type: 'integer', description: 'Pods that may be evicted now.' },
    { name: 'Age', type: 'string', description: 'Time since the budget was created.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        String(spec.minAvailable ?? 'N/A'),
        String(spec.maxUnavailable ?? 'N/A'),
        status.disruptionsAllowed,
        age(metadata.creationTimestamp, nowMs),
      ],
    };
  },
};
