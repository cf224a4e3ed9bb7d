import { InvalidKeyError } from './store-errors.ts';

/**
 * Longest key in UTF-8 bytes: LMDB's limit with 4 KiB pages, less what the embedded store appends to keys of old
 * versions.
 */
export const keyBytesMax = 1900;

/**
 * Why the key cannot be stored, or undefined when it can. The rules are the same for every store, so that data can move
 * between them.
 */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'it is empty';
  if (key.includes('\0')) return 'it contains a NUL character';
  // A lone surrogate has no UTF-8 form: two such keys could become one.
  if (/\p{Surrogate}/u.test(key)) return 'it is not well-formed Unicode';
  const tooLong = key.length > keyBytesMax || (key.length * 3 > keyBytesMax && Buffer.byteLength(key) > keyBytesMax);
  return tooLong ? `it is longer than ${keyBytesMax} bytes` : undefined;
}

/** Throws `InvalidKeyError` unless the key can be stored. */
export function assertKey(key: string): void {
  const problem = keyProblem(key);
  if (problem !== undefined) throw new InvalidKeyError(problem);
}

/**
 * The least key above every key that starts with `prefix`; undefined when there is none (an empty prefix, or one of
 * 0xff bytes only).
 */
export function prefixEnd(prefix: Uint8Array): Buffer | undefined {
  const end = Buffer.from(prefix);
  for (let last = end.length - 1; last >= 0; last--) {
    if (end[last]! < 0xff) {
      end[last]!++;
      return end.subarray(0, last + 1);
    }
  }
  return undefined;
}
