import { readConfigFile } from './config-file.ts';
import { indexOptions, readFlags, type GivenValues } from './flags.ts';
import { itemsOf, listKind, OptionValues, type Component, type Option } from './option.ts';
import { optionRules } from './option-rules.ts';
import { optionProblem, OptionsError } from './options-error.ts';
import { fileProblem } from './readable-file.ts';
import { canonicalText, checkType, mayBeEmpty } from './value-types.ts';

/**
 * The values of a start, and all their problems. Wrong values and items are left out: where nothing is left, the
 * default applies.
 */
export interface ReadOptions {
  readonly values: OptionValues;
  readonly problems: readonly string[];
}

/**
 * Reads flags and the file of `--config` by the table's rows for a component; throws `OptionsError` with every problem
 * at once.
 */
export function parseOptions(rows: readonly Option[], component: Component, args: readonly string[]): OptionValues {
  const { values, problems } = readOptions(rows, component, args);
  if (problems.length > 0) throw new OptionsError(problems);
  return values;
}

/** Like `parseOptions`, but the caller may add more problems. */
export function readOptions(rows: readonly Option[], component: Component, args: readonly string[]): ReadOptions {
  const known = rows.filter((row) => row.components.includes(component));
  const index = indexOptions(known);
  const problems: string[] = [];
  const flags = readFlags(index, args, problems);
  const file = flags.get('config');
  const given: GivenValues = new Map([
    ...(typeof file === 'string' && file !== '' ? readConfigFile(index, file, problems) : []),
    ...flags,
  ]);
  const values = new Map<string, string | readonly string[]>();
  const [right, wrong] = [new Set<string>(), new Set<string>()];
  for (const row of known) {
    const value = canonicalValue(row, given.get(row.name));
    const found = value === undefined ? [] : problemsOf(row, value);
    problems.push(...found);
    if (found.length > 0) wrong.add(row.name);
    else if (value !== undefined) right.add(row.name);
    const used = right.has(row.name) ? value : (rightItems(row, value) ?? defaultOf(row, component));
    if (used !== undefined) values.set(row.name, used);
  }
  const options = new OptionValues(component, values, right);
  for (const rule of optionRules) {
    // A rule about an option that is wrong already would report its default.
    if (rule.options.every((name) => index.has(name) && !wrong.has(name))) problems.push(...rule.check(options));
  }
  return { values: options, problems };
}

/** The default of an option, in the form of `OptionValues`. */
function defaultOf(row: Option, component: Component): string | string[] | undefined {
  const text = row.defaults?.[component] ?? row.default;
  return text === undefined || listKind(row) === 'no' ? text : itemsOf(row, text);
}

/**
 * A given value in its canonical spelling; undefined also for an empty text where only some texts make sense: it means
 * the default.
 */
function canonicalValue(
  row: Option,
  value: string | readonly string[] | undefined,
): string | readonly string[] | undefined {
  if (value === undefined || (value === '' && row.type === 'string' && row.check !== undefined)) return undefined;
  return typeof value === 'string'
    ? canonicalText(row.type, value)
    : value.map((item) => canonicalText(row.type, item));
}

/** The valid items of a list, so that rules between options check them as well. */
function rightItems(row: Option, value: string | readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined || typeof value === 'string') return undefined;
  const items = value.filter((item) => problemsOf(row, item).length === 0);
  return items.length > 0 ? items : undefined;
}

function problemsOf(row: Option, value: string | readonly string[]): string[] {
  return (typeof value === 'string' ? [value] : value).flatMap((item) => {
    if (item === '' && mayBeEmpty(row.type)) return [];
    const problem =
      checkType(row.type, item) ?? row.check?.(item) ?? (row.file === true ? fileProblem(item) : undefined);
    return problem === undefined ? [] : [optionProblem(row.name, item, problem)];
  });
}
