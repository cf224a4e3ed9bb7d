import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { TableDefinition } from '../resource-definition.ts';
import { age } from '../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../table-columns.ts';

/** The printed form of both kinds of webhook configuration. */
export const webhookTable: TableDefinition<ApiObject & { webhooks?: readonly unknown[] }> = {
  columns: [
    NAME_COLUMN,
    { name: 'Webhooks', type: 'integer', description: 'How many webhooks are called.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, webhooks }, nowMs) => ({
    cells: [metadata.name ?? '', webhooks?.length ?? 0, age(metadata.creationTimestamp, nowMs)],
  }),
};
