/** The names of amounts that any quota bounds. */
export class BoundedNames {
  private readonly ofQuotas = new Map<string, readonly string[]>();
  private readonly counts = new Map<string, number>();

  names(): Iterable<string> {
    return this.counts.keys();
  }

  /** What a quota bounds from now on; true: a name was bounded by none before, or is bounded no more. */
  set(quota: string, names: readonly string[]): boolean {
    const before = this.ofQuotas.get(quota) ?? [];
    let isChanged = false;
    for (const name of names) {
      const count = this.counts.get(name) ?? 0;
      if (count === 0) isChanged = true;
      this.counts.set(name, count + 1);
    }
    for (const name of before) {
      const count = this.counts.get(name) ?? 0;
      if (count > 1) this.counts.set(name, count - 1);
      else isChanged = this.counts.delete(name) || isChanged;
    }
    if (names.length > 0) this.ofQuotas.set(quota, names);
    else this.ofQuotas.delete(quota);
    return isChanged;
  }
}
