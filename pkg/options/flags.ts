import { itemsOf, listKind, type Option } from './option.ts';

/** What was given from one source, by option name: items of lists as arrays, all else as text. */
export type GivenValues = Map<string, string | string[]>;

/** Options by every name they have. */
export type OptionIndex = ReadonlyMap<string, Option>;

export function indexOptions(rows: readonly Option[]): OptionIndex {
  return new Map(rows.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [name, row] as const)));
}

/** The row of a name as written: underscores count as dashes, as in other programs of the field. */
export function findOption(index: OptionIndex, name: string): Option | undefined {
  return index.get(name) ?? index.get(name.replaceAll('_', '-'));
}

const truths: ReadonlyMap<string, string> = new Map([
  ...['1', 't', 'T', 'TRUE', 'True'].map((text) => [text, 'true'] as const), ...['0', 'f', 'F', 'FALSE', 'False'].map((text) => [text, 'false'] as const),
]);

/** A switch's text as `true` or `false` where it is one in another spelling. */
export function switchText(text: string): string {
  return truths.get(text) ?? text;
}

interface Flag {
  readonly name: string;
  /** What stands behind the sign, if there is one. */
  readonly value: string | undefined;
}

/** Reads `--name=value`, `--name value`, `--switch` and `--no-switch`; adds what is wrong to `problems`. */
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
    if (row?.type === 'bool') given.set(row.name, switchText(flag.value ?? 'true'));
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
  const match = /^(?:--|-(?=[a-z](?:=|$)))([^=]*)(?:=([^]*))?$/.exec(arg);
  return match === null ? undefined : { name: match[1]!, value: match[2] };
}

/** Given twice, the items of lists are put together; of other options the last counts. */
function add(given: GivenValues, row: Option, value: string): void {
  if (listKind(row.type) === 'no') {
    given.set(row.name, value);
    return;
  }
  const before = given.get(row.name) ?? [];
  given.set(row.name, [...(Array.isArray(before) ? before : []), ...itemsOf(row.type, value)]);
}
