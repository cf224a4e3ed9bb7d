/** Below this length the front of the list is left where it is. */
const COMPACT_MIN = 1024;

/** First in, first out; taking costs the same at any length. */
export class KeyFifo {
  private keys: string[] = [];
  private first = 0;

  get length(): number {
    return this.keys.length - this.first;
  }

  push(key: string): void {
    this.keys.push(key);
  }

  take(): string | undefined {
    if (this.length === 0) return undefined;
    const key = this.keys[this.first++]!;
    if (this.first === this.keys.length) {
      this.keys.length = 0;
      this.first = 0;
    } else if (this.first >= COMPACT_MIN && this.first * 2 >= this.keys.length) {
      this.keys = this.keys.slice(this.first);
      this.first = 0;
    }
    return key;
  }
}
