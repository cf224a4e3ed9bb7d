import { setKey } from './own-keys.ts';

type Container = Record<string, unknown> | unknown[];

/** What one value or key counts besides its text. */
const PLACE_SIZE = 4;

/**
 * A copy as writing JSON and reading it back would make it: without undefined keys, with null for absent items of
 * lists. `size`: about how many bytes of JSON it is. Uses no recursion.
 */
export function jsonCopy<T>(value: T): { readonly copy: T; readonly size: number } {
  const work: Container[] = [];
  let size = 0;
  const copyOf = (each: unknown): unknown => {
    size += PLACE_SIZE + (typeof each === 'string' ? each.length : 0);
    if (typeof each !== 'object' || each === null) return each;
    const copied = Array.isArray(each) ? [] : {};
    work.push(each as Container, copied);
    return copied;
  };
  const copy = copyOf(value);
  while (work.length > 0) {
    const target = work.pop()!;
    const source = work.pop()!;
    if (Array.isArray(source)) for (const item of source) (target as unknown[]).push(copyOf(item ?? null));
    else
      for (const key of Object.keys(source)) {
        if (source[key] === undefined) continue;
        size += key.length;
        setKey(target as Record<string, unknown>, key, copyOf(source[key]));
      }
  }
  return { copy: copy as T, size };
}
