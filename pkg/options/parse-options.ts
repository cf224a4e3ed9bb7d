import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { parseCidr } from '../apimachinery/ip.ts';
import { durationMs, OptionValues, type Component, type Option, type OptionType } from './option.ts';

/** All that is wrong with a command line, one line each. */
export class OptionsError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Reads flags by the table's rows for a component; throws `OptionsError` naming every problem at once. */
export function parseOptions(rows: readonly Option[], component: Component, args: readonly string[]): OptionValues {
  const known = rows.filter((row) => row.components.includes(component));
  const byName = new Map(known.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [name, row] as const)));
  const problems: string[] = [];
  const given = readFlags(byName, args, problems);
  const values = new Map<string, string>();
  for (const row of known) {
    const value = given.get(row.name) ?? row.defaults?.[component] ?? row.default;
    if (value === undefined) continue;
    const problem = value === '' ? undefined : (checkType(row.type, value) ?? row.check?.(value));
    if (problem !== undefined) problems.push(`--${row.name}=${value}: ${problem}`);
    values.set(row.name, value);
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return new OptionValues(values);
}

function readFlags(byName: ReadonlyMap<string, Option>, args: readonly string[], problems: string[]): Map<string, string> {
  const options = Object.fromEntries([...byName].map(([name, row]) => [name, { type: row.type === 'bool' ? ('boolean' as const) : ('string' as const), multiple: isList(row) }]));
  const { tokens } = parseArgs({ args: args.map((a) => withBoolean(a, byName)), options, strict: false, tokens: true, allowPositionals: true });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unexpected argument ${JSON.stringify(token.value)}`);
    if (token.kind !== 'option') continue;
    const negated = token.name.startsWith('no-') && !byName.has(token.name);
    const row = byName.get(negated ? token.name.slice(3) : token.name);
    if (row === undefined) {
      problems.push(`unknown option --${token.name}`);
      continue;
    }
    if (row.type !== 'bool' && token.value === undefined) {
      problems.push(`--${token.name} needs a value`);
      continue;
    }
    const value = token.value ?? String(!negated);
    given.set(row.name, isList(row) && given.has(row.name) ? `${given.get(row.name)},${value}` : value);
  }
  return given;
}

/** Given twice, the values of these are put together. */
function isList(row: Option): boolean {
  return row.type === 'stringSlice' || row.type === 'mapStringBool';
}

/** Go's flags take `--name=true`; the parser knows only `--name` and `--no-name`. */
function withBoolean(arg: string, byName: ReadonlyMap<string, Option>): string {
  const match = /^--([\w-]+)=(true|false)$/.exec(arg);
  if (match === null || byName.get(match[1]!)?.type !== 'bool') return arg;
  return match[2] === 'true' ? `--${match[1]}` : `--no-${match[1]}`;
}

function checkType(type: OptionType, value: string): string | undefined {
  switch (type) {
    case 'bool': return value === 'true' || value === 'false' ? undefined : 'must be true or false';
    case 'int': return /^-?\d+$/.test(value) ? undefined : 'must be a whole number';
    case 'duration': return durationMs(value) === undefined ? 'must be a duration such as 30s or 5m0s' : undefined;
    case 'ip': return isIP(value) !== 0 ? undefined : 'must be an IP address';
    case 'ipNet': return parseCidr(value) === undefined ? 'must be a range such as 10.0.0.0/24' : undefined;
    case 'portRange': return /^\d{1,5}-\d{1,5}$/.test(value) ? undefined : 'must be a range such as 30000-32767';
    case 'mapStringBool': return value.split(',').every((pair) => /^\s*\w+=(true|false)\s*$/.test(pair)) ? undefined : 'must be pairs such as Name=true, separated by commas';
    case 'string': case 'stringSlice': return undefined;
  }
}

/** The `--help` text of a component, by group. */
export function helpText(rows: readonly Option[], component: Component, usage: string): string {
  const known = rows.filter((row) => row.components.includes(component));
  const groups = [...new Set(known.map((row) => row.group))];
  const lines = [usage];
  for (const group of groups) {
    lines.push('', `${group}:`);
    for (const row of known.filter((r) => r.group === group)) lines.push(...helpLines(row, component));
  }
  return `${lines.join('\n')}\n`;
}

function helpLines(row: Option, component: Component): string[] {
  const value = row.defaults?.[component] ?? row.default;
  const aliases = row.aliases === undefined ? '' : ` (also ${row.aliases.map((a) => `--${a}`).join(', ')})`;
  const shown = value === undefined || value === '' ? '' : ` (default ${value})`;
  return [`  --${row.name} ${row.type}${aliases}`, `      ${row.help}${shown}`];
}
