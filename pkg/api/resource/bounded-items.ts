import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';

/** Lists and maps of this group are checked item by item only up to their limit. */

export type CheckItem<T> = (item: T, path: FieldPath, errors: FieldErrors) => void;

export function validateItems<T>(
  items: readonly T[] | null | undefined,
  max: number,
  check: CheckItem<T>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (items == null) return;
  if (items.length > max) return errors.tooMany(path, items.length, max);
  for (const [i, item] of items.entries()) check(item, path.index(i), errors);
}

/** As `validateItems`; no two items have the same key. Duplicates come after the errors of the items. */
export function validateSet<T>(
  items: readonly T[] | null | undefined,
  max: number,
  check: CheckItem<T>,
  keyOf: (item: T) => string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (items == null) return;
  if (items.length > max) return errors.tooMany(path, items.length, max);
  for (const [i, item] of items.entries()) check(item, path.index(i), errors);
  const keys = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (keys.has(key)) errors.duplicate(path.index(i), key);
    keys.add(key);
  }
}

const SHOWN_KEY_MIN = 16;

/**
 * Checks a map: `checkKey` with the map's own path, `check` with the entry's, whose key is cut in the middle from
 * `shownKeyMax` on.
 */
export function validateEntries<T>(
  entries: Readonly<Record<string, T>> | null | undefined,
  {
    max,
    shownKeyMax,
    checkKey,
    check,
  }: { max: number; shownKeyMax: number; checkKey: CheckItem<string>; check: CheckItem<T> },
  path: FieldPath,
  errors: FieldErrors,
): void {
  const pairs = Object.entries(entries ?? {});
  if (pairs.length > max) return errors.tooMany(path, pairs.length, max);
  for (const [key, item] of pairs) {
    checkKey(key, path, errors);
    check(item, path.key(shortened(key, Math.max(shownKeyMax, SHOWN_KEY_MIN))), errors);
  }
}

function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const shown = max - 3;
  return `${text.slice(0, Math.ceil(shown / 2))}...${text.slice(text.length - Math.floor(shown / 2))}`;
}
