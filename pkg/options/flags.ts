import { itemsOf, listKind, type Option } from './option.ts';

/** The values from one source, by option name: items of lists as arrays, all else as text. */
export type GivenValues = Map<string, string | string[]>;

/** Options by each of their names. */
export type OptionIndex = ReadonlyMap<string, Option>;

export function indexOptions(rows: readonly Option[]): OptionIndex {
  return new Map(rows.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [name, row] as const)));
}

/** The row of a name as written: underscores count as dashes, as in other programs of the field. */
export function findOption(index: OptionIndex, name: string): Option | undefined {
  return index.get(name) ?? index.get(name.replaceAll('_', '-'));
}

interface Flag {
  readonly name: string;
  /** The text after the equals sign, if there is one. */
  readonly value: string | undefined;
}

/**
 * Reads `--name=value`, `--name value`, `--switch`, `--no-switch`, and names of one letter also as `-v=2`, `-v 2` and
 * `-v2`; adds errors to `problems`.
 */
export function readFlags(index: OptionIndex, args: readonly string[], problems: string[]): GivenValues {
  const given: GivenValues = new Map();
  for (let i = 0; i < args.length; i++) {
    const flag = flagOf(args[i]!);
    if (flag === undefined) {
      problems.push(`unexpected argument ${JSON.stringify(args[i])}`);
      continue;
    }
    const row = findOption(index, flag.name);
    const denied = row === undefined && flag.name.startsWith('no-') ? findOption(index, flag.name.slice(3)) : undefined;
    if (row?.type === 'bool') given.set(row.name, flag.value ?? 'true');
    else if (denied?.type === 'bool' && flag.value === undefined) given.set(denied.name, 'false');
    else if (row === undefined) problems.push(`unknown option --${flag.name}`);
    else {
      const value = flag.value ?? (flagOf(args[i + 1] ?? '--') === undefined ? args[++i] : undefined);
      if (value === undefined) problems.push(`--${flag.name} needs a value`);
      else add(given, row, value);
    }
  }
  return given;
}

/** Undefined where the argument is no flag; a dash alone and negative numbers are values. */
function flagOf(arg: string): Flag | undefined {
  const match = /^-([a-z])(\d+)$/.exec(arg) ?? /^(?:--|-(?=[a-z](?:=|$)))([^=]*)(?:=([^]*))?$/.exec(arg);
  return match === null ? undefined : { name: match[1]!, value: match[2] };
}

/** Of repeated lists the items are joined; of other options the last counts. */
function add(given: GivenValues, row: Option, value: string): void {
  if (listKind(row) === 'no') {
    given.set(row.name, value);
    return;
  }
  const before = given.get(row.name) ?? [];
  given.set(row.name, [...(Array.isArray(before) ? before : []), ...itemsOf(row, value)]);
}
