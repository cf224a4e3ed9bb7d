import { goQuote } from '../apimachinery/values/go-format.ts';
import { getKey } from '../apimachinery/json/own-keys.ts';

/**
 * A mapping of a configuration file, read field by field. Absent fields and nulls are the same; a value of the wrong
 * type throws an Error that names its field.
 */
export class ConfigurationSection {
  private readonly fields: Readonly<Record<string, unknown>>;
  private readonly place: string;

  constructor(value: unknown, place = '') {
    if (!isMapping(value ?? {})) throw new Error(`${place || 'the configuration'} must be a mapping`);
    this.fields = (value ?? {}) as Record<string, unknown>;
    this.place = place;
  }

  /** A document that names its kind: one of `accepted`, as `apiVersion` and `kind` joined by a comma and a blank. */
  static ofKind(value: unknown, accepted: readonly string[]): ConfigurationSection {
    const section = new ConfigurationSection(value);
    const named = `${section.text('apiVersion') ?? ''}, ${section.text('kind') ?? ''}`;
    if (!accepted.includes(named))
      throw new Error(
        `no configuration of apiVersion and kind ${goQuote(named)} is known; known are ${accepted.map(goQuote).join(', ')}`,
      );
    return section;
  }

  has(name: string): boolean {
    return (getKey(this.fields, name) ?? undefined) !== undefined;
  }

  names(): string[] {
    return Object.keys(this.fields);
  }

  /** The unparsed value, undefined where it is absent. */
  raw(name: string): unknown {
    return getKey(this.fields, name) ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'string') return value;
    throw new Error(`${this.at(name)} must be a string`);
  }

  texts(name: string): string[] {
    const items = this.list(name);
    if (items.every((item) => typeof item === 'string')) return items;
    throw new Error(`${this.at(name)} must be a list of strings`);
  }

  section(name: string): ConfigurationSection {
    return new ConfigurationSection(this.raw(name), this.at(name));
  }

  sections(name: string): ConfigurationSection[] {
    return this.list(name).map((item, i) => new ConfigurationSection(item, `${this.at(name)}[${i}]`));
  }

  /** The full name of a field, for messages. */
  at(name: string): string {
    return this.place === '' ? name : `${this.place}.${name}`;
  }

  private list(name: string): unknown[] {
    const value = this.raw(name) ?? [];
    if (Array.isArray(value)) return value;
    throw new Error(`${this.at(name)} must be a list`);
  }
}

function isMapping(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
