import type { Component, Option } from './option.ts';

/** Groups of options that every program has that works on an API server as its leader. */
const groups: ReadonlySet<string> = new Set([
  'General',
  'API server',
  'Leader election',
  'TLS and network',
  'Access to the secure port',
  'Observability',
]);
/** Handing controllers over is a matter of controllers. */
const ofControllers: ReadonlySet<string> = new Set(['enable-leader-migration', 'leader-migration-config']);

/** The rows of the manager's table that another such program has as well, with its own defaults by name. */
export function ofProgram(
  component: Component,
  rows: readonly Option[],
  defaults: Readonly<Record<string, string>>,
): readonly Option[] {
  return rows
    .filter(({ name, group }) => groups.has(group) && !ofControllers.has(name) && name !== 'service-cluster-ip-range')
    .map((row) => ({ ...row, components: [component], default: defaults[row.name] ?? row.default ?? '' }))
    .map(({ default: text, ...row }) => (text === '' ? row : { ...row, default: text }));
}
