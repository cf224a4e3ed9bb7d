import type { Component, Option, OptionRow } from '../../option.ts';

/** Rows of one heading of the manager's reference; `up`, which runs the controllers as well, has them too. */
export function managerGroup(group: string, rows: readonly OptionRow[]): readonly Option[] {
  const components: readonly Component[] = ['up', 'controller-manager'];
  return rows.map((row) => ({ components, ...row, group }));
}

/** Rows that `up` has from the table of the API server, or not at all. */
export function processGroup(group: string, rows: readonly OptionRow[]): readonly Option[] {
  return rows.map((row) => ({ components: ['controller-manager'], ...row, group }));
}

/** Rows of the API server's table that mean the same for the manager. */
export function sameRows(rows: readonly Option[], names: readonly string[]): readonly Option[] {
  return rows.filter(({ name }) => names.includes(name)).map((row) => ({ ...row, components: ['controller-manager'] }));
}
