import type { TableDefinition } from '../../api/resource-definition.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** The table of kinds that define none: name and creation time. */
export const defaultTable: TableDefinition<ApiObject> = {
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name of the object, unique among its kind and namespace.',
    },
    { name: 'Created At', type: 'date', description: 'Time at which the server stored the object first, in UTC.' },
  ],
  row: (object) => ({ cells: [object.metadata.name ?? '', object.metadata.creationTimestamp ?? null] }),
};
