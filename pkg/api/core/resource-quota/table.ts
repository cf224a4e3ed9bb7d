import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { ResourceQuota, ResourceQuotaStatus } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

export const resourceQuotaTable: TableDefinition<ResourceQuota> = {
  columns: [
    NAME_COLUMN,
    { name: 'Request', type: 'string', description: 'Used and allowed amount of each resource but limits.' },
    { name: 'Limit', type: 'string', description: 'Used and allowed sum of the limits of each resource.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, status }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      usage(status, (name) => !name.startsWith('limits.')),
      usage(status, (name) => name.startsWith('limits.')),
      age(metadata.creationTimestamp, nowMs),
    ],
  }),
};

function usage({ hard = {}, used }: ResourceQuotaStatus, shown: (name: string) => boolean): string {
  const names = Object.keys(hard).filter(shown).sort();
  return names.map((name) => `${name}: ${getKey<string>(used, name) ?? '0'}/${getKey<string>(hard, name)}`).join(', ');
}
