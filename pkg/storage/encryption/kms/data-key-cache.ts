import { BoundedCache } from '../../../apimachinery/collections/bounded-cache.ts';
import type { DataKeyObserver } from './data-key-observer.ts';

/** Decrypted data keys by their encrypted form; the least recently used go first. */
export class DataKeyCache {
  private readonly entries: BoundedCache<Uint8Array>;

  private readonly entriesMax: number;
  private readonly observer: DataKeyObserver | undefined;

  constructor(entriesMax: number, observer?: DataKeyObserver) {
    this.entries = new BoundedCache(entriesMax);
    this.entriesMax = entriesMax;
    this.observer = observer;
  }

  get(sealed: Uint8Array): Uint8Array | undefined {
    const key = this.entries.get(nameOf(sealed));
    if (key === undefined) this.observer?.missed();
    return key;
  }

  set(sealed: Uint8Array, key: Uint8Array): void {
    this.entries.set(nameOf(sealed), key);
    if (this.entriesMax > 0) this.observer?.filled(this.entries.size / this.entriesMax);
  }
}

function nameOf(sealed: Uint8Array): string {
  return Buffer.from(sealed).toString('base64');
}
