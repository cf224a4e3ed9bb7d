/**
 * Objects from clients may use any key, `__proto__` and `constructor` included. These functions treat such keys as
 * ordinary data.
 */

/** Sets `target[key]` as an own property, also where the key is `__proto__`. */
export function setKey(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    (target as Record<string, unknown>)[key] = value;
  }
}

/** Reads `source[key]` when it is an own property; never reaches into the prototype. */
export function getKey<T = unknown>(source: object | null | undefined, key: string): T | undefined {
  if (source === null || source === undefined || !Object.hasOwn(source, key)) return undefined;
  return (source as Record<string, T>)[key];
}
