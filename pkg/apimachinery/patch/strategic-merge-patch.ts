/**
 * Strategic merge patch: a merge patch that knows the API's types. Lists with patch strategy `merge` merge item by item
 * (by merge key, or as a set of scalars), and directives in the patch express what plain values cannot:
 *
 * - `$patch: replace|delete` on an object or on an item of a merged list;
 * - `$retainKeys: [..]` clears the members that it does not name;
 * - `$deleteFromPrimitiveList/<list>: [..]` removes scalars from a set;
 * - `$setElementOrder/<list>: [..]` orders the items of a merged list.
 *
 * Null deletes. Ordering and errors follow Kubernetes. Directives never reach the result.
 */
import { deepCopy } from '../json/deep.ts';
import { goPlain, goTypeName } from '../values/go-format.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { setKey } from '../json/own-keys.ts';
import type { MessageSchema } from '../schema.ts';
import { identityOf, mergeInOrder, partitionByPresence } from './element-order.ts';
import type { ListElement } from './element-order.ts';
import {
  DELETE_FROM_LIST,
  MARKER,
  RETAIN_KEYS,
  SET_ORDER,
  isDirective,
  targetOfDirective,
  withoutDirectives,
  withoutNulls,
} from './directives.ts';
import { PatchError } from './patch-error.ts';
import type { PatchPosition } from './patch-position.ts';
import { atMessage, lookupMember } from './patch-position.ts';

/** Deeper patches are refused; no API type nests like that. */
const DEPTH_MAX = 1000;

/** The object after the patch, as JSON shapes; inputs are not changed. Throws PatchError. */
export function applyStrategicMergePatch(original: unknown, patch: unknown, schema: MessageSchema): unknown {
  if (!isJsonObject(patch)) {
    throw new PatchError(
      'malformed',
      `error decoding patch: json: cannot unmarshal ${jsonName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return mergeObject(isJsonObject(original) ? deepCopy(original) : {}, deepCopy(patch), atMessage(schema), 0);
}

function jsonName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'bigint'
        ? 'number'
        : typeof value;
}

function inconsistent(message: string): PatchError {
  return new PatchError('inconsistent', message);
}

function wrongType(expected: string, value: unknown): PatchError {
  return inconsistent(`expected a ${expected}, but received a ${goTypeName(value)}`);
}

/** Merges `patch` into `original`, which it changes and returns (or returns what replaces it). */
function mergeObject(original: JsonObject, patch: JsonObject, position: PatchPosition, depth: number): JsonObject {
  if (depth > DEPTH_MAX) throw new PatchError('malformed', `patch nests deeper than ${DEPTH_MAX} levels`);
  if (Object.hasOwn(patch, MARKER)) return replaceOrClear(patch);
  retainKeys(original, patch);
  const changes = new Map(Object.entries(patch));
  const orders = Object.keys(patch).filter((key) => key.startsWith(SET_ORDER));
  for (const key of orders) applyElementOrder(original, changes, key, position, depth);
  for (const [key, change] of changes) {
    if (key.startsWith(DELETE_FROM_LIST)) deleteFromList(original, targetOfDirective(key, DELETE_FROM_LIST), change);
    else mergeMember(original, key, change, position, depth);
  }
  return original;
}

function replaceOrClear(patch: JsonObject): JsonObject {
  const directive = patch[MARKER];
  if (directive === 'delete') return {};
  if (directive !== 'replace')
    throw inconsistent(`unknown patch type: ${goPlain(directive)} in map: ${goPlain(patch)}`);
  delete patch[MARKER];
  return withoutDirectives(patch) as JsonObject;
}

/** Clears what `$retainKeys` does not name. Everything that the patch sets must be named. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const list = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  const format = new PatchError('malformed', 'invalid patch format of retainKeys');
  if (!Array.isArray(list)) throw format;
  const retained = new Set<unknown>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !retained.has(key)) throw format;
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

function mergeMember(original: JsonObject, key: string, change: unknown, position: PatchPosition, depth: number): void {
  if (change === null) {
    delete original[key];
    return;
  }
  const current = Object.hasOwn(original, key) ? original[key] : undefined;
  if (isJsonObject(current) && isJsonObject(change)) {
    const member = lookupMember(position, key);
    setKey(
      original,
      key,
      member.strategy === 'replace'
        ? withoutDirectives(change)
        : mergeObject(current, change, member.position, depth + 1),
    );
  } else if (Array.isArray(current) && Array.isArray(change)) {
    const member = lookupMember(position, key);
    if (member.strategy === 'merge')
      setKey(original, key, mergeList(current, change, member.position, member.mergeKey, depth + 1));
    else setKey(original, key, withoutDirectives(change));
  } else {
    const added = withoutDirectives(change);
    if (added === undefined) return;
    withoutNulls(added);
    setKey(original, key, added);
  }
}

/** `$deleteFromPrimitiveList/<key>`: for any strategy of the list. */
function deleteFromList(original: JsonObject, key: string, change: unknown): void {
  if (change === null) {
    delete original[key];
    return;
  }
  const current = Object.hasOwn(original, key) ? original[key] : undefined;
  if (!Array.isArray(current) || !Array.isArray(change)) return;
  if (elementKind([...current, ...change]) === 'map')
    throw inconsistent(`cannot delete from the list of objects ${key}`);
  const gone = new Set(change.map((item) => identityOf(item, '')));
  setKey(
    original,
    key,
    current.filter((item) => !gone.has(identityOf(item, ''))),
  );
}

/** All elements are objects, or all are scalars of one type. */
function elementKind(items: readonly unknown[]): 'map' | 'scalar' {
  const first = items[0];
  if (Array.isArray(first)) throw new PatchError('rejected', 'lists of lists are not supported');
  const type = goTypeName(first);
  if (type === '<nil>' || items.some((item) => goTypeName(item) !== type)) {
    throw inconsistent(`list element types are not identical: ${goPlain(items)}`);
  }
  return isJsonObject(first) ? 'map' : 'scalar';
}

/** Merges two lists of strategy `merge`. */
function mergeList(
  original: unknown[],
  patch: unknown[],
  position: PatchPosition,
  mergeKey: string,
  depth: number,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementKind([...original, ...patch]) === 'scalar') {
    if (mergeKey !== '') throw wrongType('map[string]interface {}', patch[0] ?? original[0]);
    const merged = [...new Map([...original, ...patch].map((item) => [identityOf(item, ''), item])).values()];
    return order(merged, patch, original, '');
  }
  if (mergeKey === '') throw inconsistent(`cannot merge lists without merge key for ${position.name}`);
  const { kept, additions, replaced } = applyItemDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  if (replaced) return kept;
  return order(mergeItems(kept, additions, position, mergeKey, depth), additions, kept, mergeKey);
}

function order(merged: unknown[], patchOrder: unknown[], originalOrder: unknown[], mergeKey: string): unknown[] {
  const { present, absent } = partitionByPresence(merged as ListElement[], patchOrder as ListElement[], mergeKey);
  return mergeInOrder(present, absent, patchOrder as ListElement[], originalOrder as ListElement[], mergeKey);
}

interface ItemDirectives {
  /** The original items that are left, or the whole new list when `replaced`. */
  kept: JsonObject[];
  additions: JsonObject[];
  replaced: boolean;
}

/** Removes the items with `$patch` from the patch and applies them. */
function applyItemDirectives(original: JsonObject[], patch: JsonObject[], mergeKey: string): ItemDirectives {
  const additions: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let replaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, MARKER)) {
      additions.push(item);
      continue;
    }
    const directive = item[MARKER];
    if (directive === 'replace') replaced = true;
    else if (directive === 'delete') deleted.add(identityOf(requireKey(item, mergeKey), mergeKey));
    else if (directive === 'merge') throw inconsistent('merging lists cannot yet be specified in the patch');
    else throw inconsistent(`unknown patch type: ${goPlain(directive)} in map: ${goPlain(item)}`);
  }
  if (replaced) return { kept: withoutDirectives(additions) as JsonObject[], additions: [], replaced };
  const kept = deleted.size === 0 ? original : original.filter((item) => !deleted.has(identityOf(item, mergeKey)));
  return { kept, additions, replaced };
}

function requireKey(item: JsonObject, mergeKey: string): JsonObject {
  if (!Object.hasOwn(item, mergeKey))
    throw inconsistent(`map: ${goPlain(item)} does not contain declared merge key: ${mergeKey}`);
  return item;
}

/** Merges items of equal keys and appends the others. */
function mergeItems(
  original: JsonObject[],
  patch: JsonObject[],
  position: PatchPosition,
  mergeKey: string,
  depth: number,
): JsonObject[] {
  const merged = [...original];
  const places = new Map<unknown, number>();
  for (const [i, item] of merged.entries()) {
    const identity = identityOf(requireKey(item, mergeKey), mergeKey);
    if (!places.has(identity)) places.set(identity, i);
  }
  for (const item of patch) {
    const identity = identityOf(requireKey(item, mergeKey), mergeKey);
    const place = places.get(identity);
    const current = place === undefined ? undefined : merged[place];
    if (place !== undefined && current !== undefined) {
      merged[place] = mergeObject(current, item, position, depth + 1);
    } else {
      const added = withoutDirectives(item) as JsonObject;
      withoutNulls(added);
      places.set(identity, merged.push(added) - 1);
    }
  }
  return merged;
}

/** `$setElementOrder/<list>`: merges the list right away and brings it into the given order. */
function applyElementOrder(
  original: JsonObject,
  changes: Map<string, unknown>,
  directive: string,
  position: PatchPosition,
  depth: number,
): void {
  const wanted = changes.get(directive);
  changes.delete(directive);
  if (!Array.isArray(wanted)) throw wrongType('[]interface {}', wanted);
  const key = targetOfDirective(directive, SET_ORDER);
  const current = Object.hasOwn(original, key) ? original[key] : undefined;
  const change = changes.get(key);
  if (current !== undefined && !Array.isArray(current)) throw wrongType('[]interface {}', current);
  if (change !== undefined && !Array.isArray(change)) throw wrongType('[]interface {}', change);
  const { strategy, mergeKey, position: items } = lookupMember(position, key);
  checkOrder(change ?? [], wanted, mergeKey);
  if (current === undefined && change === undefined) return;
  let merged: unknown[];
  if (change === undefined) merged = current ?? [];
  else if (current === undefined) merged = withoutDirectives(change) as unknown[];
  else
    merged =
      strategy === 'merge'
        ? mergeList(current, change, items, mergeKey, depth + 1)
        : (withoutDirectives(change) as unknown[]);
  if (mergeKey !== '')
    for (const item of merged) if (!isJsonObject(item)) throw wrongType('map[string]interface {}', item);
  setKey(original, key, order(merged, wanted, current ?? [], mergeKey));
  changes.delete(key);
}

/** The items of a patch stand in the order that it requests, and each is named there. */
function checkOrder(patch: unknown[], wanted: unknown[], mergeKey: string): void {
  if (patch.length === 0 || wanted.length === 0) return;
  let next = 0;
  for (const item of patch) {
    if (isJsonObject(item) && Object.hasOwn(item, MARKER)) continue;
    const identity = identityInOrder(item, mergeKey);
    while (next < wanted.length && identityInOrder(wanted[next], mergeKey) !== identity) next++;
    if (next++ >= wanted.length) {
      throw inconsistent(
        `The order in patch list:\n${goPlain(patch)}\n doesn't match $setElementOrder list:\n${goPlain(wanted)}\n`,
      );
    }
  }
}

function identityInOrder(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return identityOf(item, '');
  if (!isJsonObject(item)) throw wrongType('map[string]interface {}', item);
  return identityOf(requireKey(item, mergeKey), mergeKey);
}
