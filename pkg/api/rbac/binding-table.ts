import type { RoleBinding, Subject } from '../../generated/types/rbac-v1.ts';
import type { TableDefinition } from '../resource-definition.ts';
import { age } from '../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../table-columns.ts';

/** The printed form of both kinds of binding. */
export const bindingTable: TableDefinition<Pick<RoleBinding, 'metadata' | 'roleRef' | 'subjects'>> = {
  columns: [
    NAME_COLUMN,
    { name: 'Role', type: 'string', description: 'Kind and name of the role that is given.' },
    AGE_COLUMN,
    { name: 'Users', type: 'string', priority: 1, description: 'Users who are given the role.' },
    { name: 'Groups', type: 'string', priority: 1, description: 'Groups whose members are given the role.' },
    { name: 'ServiceAccounts', type: 'string', priority: 1, description: 'Service accounts that are given the role.' },
  ],
  row: ({ metadata, roleRef, subjects = [] }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      `${roleRef.kind}/${roleRef.name}`,
      age(metadata.creationTimestamp, nowMs),
      namesOf(subjects, 'User'),
      namesOf(subjects, 'Group'),
      subjects
        .filter((s) => s.kind === 'ServiceAccount')
        .map((s) => `${s.namespace ?? ''}/${s.name}`)
        .join(', '),
    ],
  }),
};

function namesOf(subjects: readonly Subject[], kind: string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map((subject) => subject.name)
    .join(', ');
}
