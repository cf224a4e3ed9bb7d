import { nestsDeeper } from '../apimachinery/json/deep.ts';
import { JSON_DEPTH_MAX } from '../apimachinery/json/json.ts';
import { setKey } from '../apimachinery/json/own-keys.ts';
import type { FieldSchema, MessageSchema } from '../apimachinery/schema.ts';
import { canonicalizeQuantity } from '../apimachinery/values/quantity.ts';
import { DecodeError, ELEMENTS_MAX } from './normalize.ts';
import { sortedKeys } from './protobuf/wire.ts';

type Json = Record<string, unknown>;

/** The fields of a struct that need work. */
interface Level {
  readonly fields: readonly { readonly field: FieldSchema; readonly below: Level | undefined }[];
}

/** Counts for the one object that is being processed. */
interface Count {
  elements: number;
}

/**
 * Completes in place what a protobuf decoder leaves out of the canonical shape that `normalize` gives a JSON body:
 * quantities in their canonical form, maps in the order of their keys, bounds on elements and depth. The decoder has
 * made everything else in that shape already. Throws DecodeError.
 */
export function canonicalizeDecoded(object: object, schema: MessageSchema): void {
  const level = levelOf(schema);
  if (level !== undefined) visit(object as Json, level, { elements: 0 });
}

// Process-wide: a level depends on its schema alone.
const levels = new WeakMap<MessageSchema, Level | null>();

/** Undefined where nothing needs work. */
function levelOf(schema: MessageSchema): Level | undefined {
  const known = levels.get(schema);
  if (known !== undefined) return known ?? undefined;
  const fields: { field: FieldSchema; below: Level | undefined }[] = [];
  // Before its fields: a type may contain itself.
  levels.set(schema, { fields });
  for (const field of schema.fields) {
    const below = field.message === undefined ? undefined : levelOf(field.message);
    const isOpen = field.kind === 'quantity' || field.kind === 'raw' || field.card === 'map' || below !== undefined;
    // Elements of lists are counted even where nothing in them needs work.
    if (isOpen || (field.card === 'list' && field.kind === 'message')) fields.push({ field, below });
  }
  if (fields.length > 0) return { fields };
  levels.set(schema, null);
  return undefined;
}

function visit(object: Json, { fields }: Level, count: Count): void {
  for (const { field, below } of fields) {
    const value = object[field.name];
    if (value === undefined || value === null) continue;
    if (field.card === 'list') visitList(value as unknown[], field, below, count);
    else if (field.card === 'map') object[field.name] = visitMap(value as Json, field, below, count);
    else object[field.name] = visitValue(value, field, below, count);
  }
}

function visitList(list: unknown[], field: FieldSchema, below: Level | undefined, count: Count): void {
  if (field.kind === 'message') countElements(count, list.length);
  else if (field.kind !== 'quantity' && field.kind !== 'raw') return;
  for (let i = 0; i < list.length; i++) list[i] = visitValue(list[i], field, below, count);
}

function visitMap(map: Json, field: FieldSchema, below: Level | undefined, count: Count): Json {
  const keys = sortedKeys(map);
  if (field.kind === 'message') countElements(count, keys.length);
  const given = Object.keys(map);
  const isSorted = keys.every((key, i) => key === given[i]);
  const out: Json = isSorted ? map : {};
  const isPlain = below === undefined && field.kind !== 'quantity' && field.kind !== 'raw';
  if (isSorted && isPlain) return map;
  for (const key of keys) setKey(out, key, visitValue(map[key], field, below, count));
  return out;
}

function visitValue(value: unknown, field: FieldSchema, below: Level | undefined, count: Count): unknown {
  if (field.kind === 'quantity') return canonicalQuantity(value as string);
  if (field.kind === 'raw') {
    if (nestsDeeper(value, JSON_DEPTH_MAX)) throw new DecodeError('exceeded max depth');
    return value;
  }
  if (below === undefined || typeof value !== 'object' || value === null) return value;
  // The either-or types of schemas are a schema, or a list of schemas.
  if (Array.isArray(value)) for (const item of value) visitValue(item, field, below, count);
  else visit(value as Json, below, count);
  return value;
}

function countElements(count: Count, more: number): void {
  count.elements += more;
  if (count.elements > ELEMENTS_MAX)
    throw new DecodeError(`the object has more than ${ELEMENTS_MAX} elements in its lists and maps`);
}

function canonicalQuantity(text: string): string {
  try {
    return canonicalizeQuantity(text);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}
