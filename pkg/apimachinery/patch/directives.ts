/** The directives of strategic merge patches. */
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { PatchError } from './patch-error.ts';

export const MARKER = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
export const SET_ORDER = '$setElementOrder';

/** Whether a key is a directive about a list. */
export function isDirective(key: string): boolean {
  return key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER);
}

/** The list of a directive. Throws PatchError when the key names none. */
export function targetOfDirective(key: string, prefix: typeof DELETE_FROM_LIST | typeof SET_ORDER): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw new PatchError(
    'malformed',
    prefix === SET_ORDER ? 'invalid patch format of setElementOrder list' : 'invalid patch format of primitive list',
  );
}

/**
 * A value that is added as a whole, without the directives in it: there is nothing for them to change. Values to be
 * deleted are dropped; at the top, that gives undefined. Changes the value.
 */
export function withoutDirectives(value: unknown): unknown {
  if (isJsonObject(value) && value[MARKER] === 'delete' && Object.hasOwn(value, MARKER)) return undefined;
  const work: unknown[] = [value];
  while (work.length > 0) {
    const node = work.pop();
    if (Array.isArray(node)) stripList(node, work);
    else if (isJsonObject(node)) stripObject(node, work);
  }
  return value;
}

function isDeleted(value: unknown): boolean {
  return isJsonObject(value) && Object.hasOwn(value, MARKER) && value[MARKER] === 'delete';
}

/** An item with only `$patch: replace` is a directive for its list. */
function isReplaceMark(value: unknown): boolean {
  return isJsonObject(value) && Object.hasOwn(value, MARKER) && Object.keys(value).length === 1;
}

function stripList(list: unknown[], work: unknown[]): void {
  let kept = 0;
  for (const item of list) {
    if (isDeleted(item) || isReplaceMark(item)) continue;
    list[kept++] = item;
    work.push(item);
  }
  list.length = kept;
}

function stripObject(object: JsonObject, work: unknown[]): void {
  for (const key of Object.keys(object)) {
    if (key === MARKER || key === RETAIN_KEYS || isDirective(key) || isDeleted(object[key])) delete object[key];
    else work.push(object[key]);
  }
}

/**
 * Drops null members of objects at every level: in a value that is added there is nothing for them to delete. Changes
 * the value.
 */
export function withoutNulls(value: unknown): void {
  const work: unknown[] = [value];
  while (work.length > 0) {
    const node = work.pop();
    if (Array.isArray(node)) {
      for (const item of node) work.push(item);
    } else if (isJsonObject(node)) {
      for (const key of Object.keys(node)) {
        if (node[key] === null) delete node[key];
        else work.push(node[key]);
      }
    }
  }
}
