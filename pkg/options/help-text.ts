import { featureGates } from './feature-gates.ts';
import type { Component, Option } from './option.ts';

/** The `--help` text of a component, by group. */
export function helpText(rows: readonly Option[], component: Component, usage: string): string {
  const known = rows.filter((row) => row.components.includes(component));
  const groups = [...new Set(known.map((row) => row.group))];
  const lines = [usage];
  for (const group of groups) {
    lines.push('', `${group}:`);
    for (const row of known.filter((r) => r.group === group)) lines.push(...helpLines(row, component));
  }
  if (known.some((row) => row.name === 'feature-gates'))
    lines.push(
      '',
      'Features of --feature-gates:',
      ...Object.entries(featureGates).map(([name, gate]) => `  ${name} (${gate.stage}, default ${gate.default})`),
    );
  return `${lines.join('\n')}\n`;
}

function helpLines(row: Option, component: Component): string[] {
  const value = row.defaults?.[component] ?? row.default;
  const aliases =
    row.aliases === undefined
      ? ''
      : ` (also ${row.aliases.map((a) => (a.length === 1 ? `-${a}` : `--${a}`)).join(', ')})`;
  const shown = value === undefined || value === '' ? '' : ` (default ${value})`;
  const notes = [
    row.deprecated === undefined ? '' : `. Deprecated: ${row.deprecated}`,
    row.inert === undefined ? '' : `. Does nothing: ${row.inert}`,
  ];
  return [`  --${row.name} ${row.type}${aliases}`, `      ${row.help}${notes.join('')}${shown}`];
}
