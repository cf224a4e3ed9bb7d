/** Types of options, as the option reference names them. */
export type OptionType = 'string' | 'bool' | 'int' | 'duration' | 'ip' | 'ipNet' | 'portRange' | 'stringSlice' | 'mapStringBool';

export type Component = 'up' | 'apiserver';

/** One option, declared once: flags, help and validation follow from it. */
export interface Option {
  /** Without dashes, `store-servers`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly type: OptionType;
  /** As a user would write it; absent where there is none. */
  readonly default?: string;
  /** Default for single components, where it differs. */
  readonly defaults?: Readonly<Partial<Record<Component, string>>>;
  readonly help: string;
  readonly group: string;
  readonly components: readonly Component[];
  /** What is wrong with a value of the right type. */
  check?(value: string): string | undefined;
}

/** The values of one start. */
export class OptionValues {
  private readonly values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.values = values;
  }

  string(name: string): string {
    return this.values.get(name) ?? '';
  }

  int(name: string): number {
    return Number(this.string(name) || '0');
  }

  bool(name: string): boolean {
    return this.string(name) === 'true';
  }

  list(name: string): string[] {
    return this.string(name).split(',').map((s) => s.trim()).filter((s) => s !== '');
  }

  /** One key of a `key=true,other=false` map; undefined when it is not named. */
  switchOf(name: string, key: string): boolean | undefined {
    const found = this.list(name).findLast((pair) => pair.startsWith(`${key}=`));
    return found === undefined ? undefined : found.endsWith('=true');
  }

  /** Milliseconds. */
  durationMs(name: string): number {
    return durationMs(this.string(name)) ?? 0;
  }
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `1h30m`, `5m0s`, `250ms` in milliseconds; undefined for other text. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce((sum, [, number, unit]) => sum + Number(number) * unitsMs[unit!]!, 0);
}
