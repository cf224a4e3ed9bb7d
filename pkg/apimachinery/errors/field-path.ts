/**
 * The place of a value in an object, as validation names it: `spec.containers[0].ports[1].containerPort`. Validation
 * visits whole objects and rarely fails, so a path is a chain of small nodes and its text is made only for an error.
 */
export class FieldPath {
  private readonly parent: FieldPath | undefined;
  private readonly name: string;
  /** Whether the name is printed in brackets: a list index or a map key. */
  private readonly bracketed: boolean;

  private constructor(parent: FieldPath | undefined, name: string, bracketed: boolean) {
    this.parent = parent;
    this.name = name;
    this.bracketed = bracketed;
  }

  /** The start of a path. Without a name it means the whole object and prints as `<nil>`. */
  static root(name = ''): FieldPath {
    return new FieldPath(undefined, name, false);
  }

  /** The path of a field, or of a field of a field. */
  child(...names: string[]): FieldPath {
    return names.reduce<FieldPath>((path, name) => new FieldPath(path.isEmpty() ? undefined : path, name, false), this);
  }

  /** The path of one item of a list. */
  index(i: number): FieldPath {
    return new FieldPath(this, String(i), true);
  }

  /** The path of one entry of a map. */
  key(k: string): FieldPath {
    return new FieldPath(this, k, true);
  }

  toString(): string {
    return this.isEmpty() ? '<nil>' : this.text();
  }

  private text(): string {
    const before = this.parent?.isEmpty() === false ? this.parent.text() : '';
    if (this.bracketed) return `${before}[${this.name}]`;
    return before === '' ? this.name : `${before}.${this.name}`;
  }

  private isEmpty(): boolean {
    return this.parent === undefined && this.name === '' && !this.bracketed;
  }
}

/** The path of a field, from the top of the object. */
export function field(first: string, ...rest: string[]): FieldPath {
  return FieldPath.root(first).child(...rest);
}
