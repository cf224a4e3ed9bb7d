import { randomBytes } from 'node:crypto';
import type { DataKeyObserver } from './data-key-observer.ts';

const DATA_KEY_BYTES = 32;

/** A key for one value. */
export function newDataKey(observer: DataKeyObserver | undefined): Uint8Array {
  const began = performance.now();
  try {
    const key = randomBytes(DATA_KEY_BYTES);
    observer?.generated((performance.now() - began) / 1000);
    return key;
  } catch (error) {
    observer?.generationFailed();
    throw error;
  }
}
