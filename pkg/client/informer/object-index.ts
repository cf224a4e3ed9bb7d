import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** The values under which an object is found; pure. */
export type IndexFunction<T extends ApiObject> = (object: T) => readonly string[];

const NO_VALUES: readonly string[] = [];

/** Keys of objects by what one index function says of them. */
export class ObjectIndex<T extends ApiObject> {
  readonly valuesOf: IndexFunction<T>;
  private readonly keys = new Map<string, Set<string>>();
  /** What the function said of each object: its old state need not be decoded when it changes. */
  private readonly values = new Map<string, readonly string[]>();

  constructor(valuesOf: IndexFunction<T>) {
    this.valuesOf = valuesOf;
  }

  find(value: string): Iterable<string> {
    return this.keys.get(value) ?? NO_VALUES;
  }

  set(key: string, values: readonly string[]): void {
    const before = this.values.get(key) ?? NO_VALUES;
    if (isSame(before, values)) return;
    for (const value of before) this.removeKey(value, key);
    if (values.length === 0) this.values.delete(key);
    else this.values.set(key, values);
    for (const value of values) {
      const known = this.keys.get(value);
      if (known === undefined) this.keys.set(value, new Set([key]));
      else known.add(key);
    }
  }

  private removeKey(value: string, key: string): void {
    const known = this.keys.get(value);
    known?.delete(key);
    if (known?.size === 0) this.keys.delete(value);
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
