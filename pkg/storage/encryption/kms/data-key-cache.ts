import { BoundedCache } from '../../../apimachinery/bounded-cache.ts';

/** Opened data keys by their sealed form; the least recently used go first. */
export class DataKeyCache {
  private readonly entries: BoundedCache<Uint8Array>;

  constructor(entriesMax: number) {
    this.entries = new BoundedCache(entriesMax);
  }

  get(sealed: Uint8Array): Uint8Array | undefined {
    return this.entries.get(nameOf(sealed));
  }

  set(sealed: Uint8Array, key: Uint8Array): void {
    this.entries.set(nameOf(sealed), key);
  }
}

function nameOf(sealed: Uint8Array): string {
  return Buffer.from(sealed).toString('base64');
}
