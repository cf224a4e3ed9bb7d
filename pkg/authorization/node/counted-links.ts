const none: ReadonlyMap<string, number> = new Map();

/** Links from one name to others, each as often as it was added. */
export class CountedLinks {
  private readonly links = new Map<string, Map<string, number>>();

  add(from: string, to: string): void {
    let counts = this.links.get(from);
    if (counts === undefined) this.links.set(from, (counts = new Map()));
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }

  /** Removes one of the links; there is one. */
  remove(from: string, to: string): void {
    const counts = this.links.get(from);
    const count = counts?.get(to);
    if (counts === undefined || count === undefined) return;
    if (count > 1) counts.set(to, count - 1);
    else counts.delete(to);
    if (counts.size === 0) this.links.delete(from);
  }

  has(from: string, to: string): boolean {
    return this.links.get(from)?.has(to) === true;
  }

  of(from: string): Iterable<string> {
    return (this.links.get(from) ?? none).keys();
  }

  clear(): void {
    this.links.clear();
  }
}
