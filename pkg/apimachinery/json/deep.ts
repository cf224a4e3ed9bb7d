/**
 * Copies and comparisons of JSON values, without recursion: patches may build values that nest ten thousand levels deep
 * before they are refused.
 */
import { setKey } from './own-keys.ts';

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function emptyLike(value: Container): Container {
  return Array.isArray(value) ? [] : {};
}

/** A copy that shares no object or array with the original. Keys such as `__proto__` and BigInt values are kept. */
export function deepCopy<T>(value: T): T {
  if (!isContainer(value)) return value;
  const root = emptyLike(value);
  const work: Container[] = [value, root];
  while (work.length > 0) {
    const target = work.pop() as Container;
    const source = work.pop() as Container;
    if (Array.isArray(source)) {
      for (let i = 0; i < source.length; i++) (target as unknown[])[i] = copyOf(source[i], work);
    } else {
      for (const key of Object.keys(source)) {
        const copied = copyOf(source[key], work);
        if (key === '__proto__') setKey(target, key, copied);
        else (target as Record<string, unknown>)[key] = copied;
      }
    }
  }
  return root as T;
}

function copyOf(value: unknown, work: Container[]): unknown {
  if (!isContainer(value)) return value;
  const copied = emptyLike(value);
  work.push(value, copied);
  return copied;
}

/** Equal as JSON values: objects in any key order, `undefined` like an absent key, a BigInt like the same number. */
export function deepEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, false);
}

/**
 * As `deepEqual`, and null, absent, an empty list and an empty map are all the same (as apimachinery compares objects).
 */
export function semanticDeepEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, true);
}

/** Whether a value is empty: absent, null, or an empty list or map. */
function isEmpty(value: unknown): boolean {
  if (value == null) return true;
  if (!isContainer(value)) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

function compare(first: unknown, second: unknown, semantic: boolean): boolean {
  const work: unknown[] = [first, second];
  while (work.length > 0) {
    const b = work.pop();
    const a = work.pop();
    if (a === b) continue;
    if (semantic && isEmpty(a) && isEmpty(b)) continue;
    if (isContainer(a) && isContainer(b)) {
      if (!queueChildren(a, b, semantic, work)) return false;
    } else if (!sameNumber(a, b)) {
      return false;
    }
  }
  return true;
}

/** A BigInt and a number of one value; equal values of one type never get here. */
function sameNumber(a: unknown, b: unknown): boolean {
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a;
  if (typeof a === 'number' && typeof b === 'bigint') return Number.isInteger(a) && BigInt(a) === b;
  return false;
}

/** Queues the pairs of children; false when the shapes already differ. */
function queueChildren(a: Container, b: Container, semantic: boolean, work: unknown[]): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) work.push(a[i], b[i]);
    return true;
  }
  let shared = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    const other = Object.hasOwn(b, key) ? b[key] : undefined;
    if (other !== undefined) shared++;
    if (value === other) continue;
    if (other === undefined && !(semantic && isEmpty(value))) return false;
    work.push(value, other);
  }
  if (!semantic) {
    let present = 0;
    for (const key of Object.keys(b)) if (b[key] !== undefined) present++;
    return present === shared;
  }
  for (const key of Object.keys(b)) {
    if ((!Object.hasOwn(a, key) || a[key] === undefined) && !isEmpty(b[key])) return false;
  }
  return true;
}

/** Whether arrays and objects nest deeper than `max` levels. */
export function nestsDeeper(value: unknown, max: number): boolean {
  let level: Container[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > max) return true;
    const below: Container[] = [];
    for (const container of level) {
      for (const child of Array.isArray(container) ? container : Object.values(container))
        if (isContainer(child)) below.push(child);
    }
    level = below;
  }
  return false;
}
