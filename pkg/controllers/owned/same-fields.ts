import { getKey } from '../../apimachinery/json/own-keys.ts';

/**
 * Whether two templates of pods, or what holds them, have the same fields. Earlier releases wrote null where a field is
 * absent, and an empty list says no more than none. An empty struct does, such as `affinity: {}`.
 */
export function hasSameFields(a: unknown, b: unknown): boolean {
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => hasSameFields(item, b[i]));
  if (!isStruct(a) || !isStruct(b)) return false;
  return Object.keys({ ...a, ...b }).every((name) => hasSameFields(getKey(a, name), getKey(b, name)));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isStruct(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
