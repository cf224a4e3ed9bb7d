import { durationMs, TIMER_MS_MAX } from '../apimachinery/values/duration.ts';

/** Types of options, as the option reference names them. */
export type OptionType =
  | 'string'
  | 'bool'
  | 'int'
  | 'uint'
  | 'float32'
  | 'duration'
  | 'ip'
  | 'ipNet'
  | 'portRange'
  | 'stringSlice'
  | 'stringArray'
  | 'mapStringString'
  | 'mapStringBool'
  | 'namedCertKey';

export type Component = 'up' | 'apiserver' | 'controller-manager' | 'scheduler' | 'simulate-nodes';

/** One option, declared once: flags, configuration file, help, reference and validation follow from it. */
export interface Option {
  /** Without dashes, `store-servers`. */
  readonly name: string;
  /** Aliases, the vendor's among them. */
  readonly aliases?: readonly string[];
  readonly type: OptionType;
  /** As a user would write it; absent without a default. */
  readonly default?: string;
  /** Default for single components, where it differs. */
  readonly defaults?: Readonly<Partial<Record<Component, string>>>;
  readonly help: string;
  readonly group: string;
  readonly components: readonly Component[];
  /** Why the option is accepted but does nothing; logged once by a start that sets it. */
  readonly inert?: string;
  /** What to use instead of a deprecated option; logged once by a start that sets it. */
  readonly deprecated?: string;
  /** Of a list or map: a flag's text is one item, commas and all. */
  readonly whole?: boolean;
  /** The value is the path of a file that must be there and readable at start. */
  readonly file?: boolean;
  /**
   * The problem of a value of the right type that is not empty; of a list or map, of one of its items (`key=value`).
   */
  check?(value: string): string | undefined;
}

/** A row as the files in `rows/` write it; `components` defaults to all. */
export type OptionRow = Omit<Option, 'group' | 'components'> & { readonly components?: readonly Component[] };

/** Rows of one heading of the reference. */
export function optionGroup(group: string, rows: readonly OptionRow[]): readonly Option[] {
  return rows.map((row) => ({ components: ['up', 'apiserver'], ...row, group }));
}

/** How an option's text is split. */
export type ListForm = Pick<Option, 'type' | 'whole'>;

/** Whether the option takes several items, and how one flag's text is split into them. */
export function listKind({ type, whole }: ListForm): 'no' | 'commas' | 'whole' {
  switch (type) {
    case 'stringSlice':
    case 'mapStringString':
    case 'mapStringBool':
      return whole ? 'whole' : 'commas';
    case 'stringArray':
    case 'namedCertKey':
      return 'whole';
    default:
      return 'no';
  }
}

/**
 * The items of one flag's text; quotes keep the commas of an item (RFC 4180), and a doubled quote within one is a
 * quote.
 */
export function itemsOf(form: ListForm, text: string): string[] {
  const items = listKind(form) === 'commas' ? splitAtCommas(text) : [text];
  return items.filter((item) => item !== '');
}

const field = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/y;

function splitAtCommas(text: string): string[] {
  const items: string[] = [];
  field.lastIndex = 0;
  while (field.lastIndex < text.length) {
    const [, quoted, plain = ''] = field.exec(text)!;
    items.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
  }
  return items;
}

/** The values of one start: those given, or the defaults. */
export class OptionValues {
  readonly component: Component;
  private readonly values: ReadonlyMap<string, string | readonly string[]>;
  private readonly given: ReadonlySet<string>;

  /**
   * `values` by option name: items of lists and maps as arrays, all else as text; `given` names those that are no
   * defaults.
   */
  constructor(
    component: Component,
    values: ReadonlyMap<string, string | readonly string[]>,
    given: ReadonlySet<string>,
  ) {
    this.component = component;
    this.values = values;
    this.given = given;
  }

  /** Whether a flag or the configuration file set the option. */
  isGiven(name: string): boolean {
    return this.given.has(name);
  }

  /** The text of a single value; the items of a list with commas between them. Empty where there is no value. */
  string(name: string): string {
    const value = this.values.get(name) ?? '';
    return typeof value === 'string' ? value : value.join(',');
  }

  /** 0 where there is no value. */
  int(name: string): number {
    return Number(this.string(name) || '0');
  }

  /** 0 where there is no value. */
  float(name: string): number {
    return Number(this.string(name) || '0');
  }

  bool(name: string): boolean {
    return this.string(name) === 'true';
  }

  /** Items of a list, in the order given. */
  list(name: string): string[] {
    const value = this.values.get(name) ?? [];
    return typeof value === 'string' ? itemsOf({ type: 'stringSlice' }, value) : [...value];
  }

  /** Pairs of a map, `key=value` at the first sign; of a key that is named twice the last. */
  pairs(name: string): ReadonlyMap<string, string> {
    return new Map(this.list(name).map((pair) => splitPair(pair)));
  }

  /** Milliseconds. */
  durationMs(name: string): number {
    return durationMs(this.string(name)) ?? 0;
  }

  /** Milliseconds, at most the maximum of timers. */
  timerMs(name: string): number {
    return Math.min(this.durationMs(name), TIMER_MS_MAX);
  }

  /** The same values except some; these count as given. */
  with(changes: Readonly<Record<string, string | readonly string[]>>): OptionValues {
    const entries = Object.entries(changes);
    return new OptionValues(
      this.component,
      new Map([...this.values, ...entries]),
      new Set([...this.given, ...entries.map(([name]) => name)]),
    );
  }
}

/** Key and value of `key=value`; without a sign the value is empty. */
export function splitPair(pair: string): readonly [key: string, value: string] {
  const sign = pair.indexOf('=');
  return sign < 0 ? [pair.trim(), ''] : [pair.slice(0, sign).trim(), pair.slice(sign + 1).trim()];
}
