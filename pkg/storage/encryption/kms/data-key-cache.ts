/** Opened data keys by their sealed form; the least recently used go first. */
export class DataKeyCache<T> {
  private readonly entries = new Map<string, T>();
  private readonly max: number;

  /** `max` 0: without bound. */
  constructor(max: number) {
    this.max = max;
  }

  get(sealed: Uint8Array): T | undefined {
    const name = nameOf(sealed);
    const found = this.entries.get(name);
    if (found !== undefined) {
      this.entries.delete(name);
      this.entries.set(name, found);
    }
    return found;
  }

  set(sealed: Uint8Array, key: T): void {
    this.entries.set(nameOf(sealed), key);
    if (this.max > 0 && this.entries.size > this.max) this.entries.delete(this.entries.keys().next().value!);
  }
}

function nameOf(sealed: Uint8Array): string {
  return Buffer.from(sealed).toString('base64');
}
