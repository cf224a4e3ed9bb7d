import type { TableColumn } from './resource-definition.ts';

/** Columns that the tables of most kinds share. */

export const NAME_COLUMN: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique in its namespace or, without one, in the cluster.',
};

export const AGE_COLUMN: TableColumn = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
};
