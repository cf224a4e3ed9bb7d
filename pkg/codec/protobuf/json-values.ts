import { endOf, type Int64, type Reader, type Writer } from './wire.ts';
import { stringifyGoJson } from '../../apimachinery/json/go-json.ts';
import { parseJson, stringifyJson } from '../../apimachinery/json/json.ts';
import { formatDuration as format, parseDuration as parse } from '../../apimachinery/values/time.ts';

/** Values inside protobuf messages whose content is JSON text or a choice between two JSON forms. */

export function parseRawJson(text: string): unknown {
  return parseJson(text);
}

export function stringifyRawJson(value: unknown): string {
  return stringifyJson(value);
}

/**
 * As Go programs write what a RawExtension holds: they compare the bytes of revisions with those that they would write
 * themselves.
 */
export function stringifyRawExtension(value: unknown): string {
  return stringifyGoJson(value);
}

export function formatDuration(nanoseconds: Int64): string {
  return format(BigInt(nanoseconds));
}

export function parseDuration(text: string): Int64 {
  return parse(text);
}

type ReadSchema = (r: Reader, end: number) => object;
type WriteSchema = (schema: object, w: Writer) => void;

/** A schema (field 1) or a list of schemas (field 2); a schema without requirements when both are absent. */
export function readSchemaOrArray(r: Reader, read: ReadSchema): object {
  const end = endOf(r);
  let one: object = {};
  let many: object[] | undefined;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 10) one = read(r, endOf(r));
    else if (tag === 18) (many ??= []).push(read(r, endOf(r)));
    else r.skipType(tag & 7);
  }
  return many ?? one;
}

export function writeSchemaOrArray(w: Writer, value: unknown, write: WriteSchema): void {
  w.fork();
  if (Array.isArray(value)) for (const item of value) writeSchema(w, 18, item, write);
  else if (value !== null && typeof value === 'object') writeSchema(w, 10, value, write);
  w.ldelim();
}

/** Whether anything is allowed (field 1), or a schema (field 2). */
export function readSchemaOrBool(r: Reader, read: ReadSchema): object | boolean {
  const end = endOf(r);
  let allows = false;
  let schema: object | undefined;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 8) allows = r.bool();
    else if (tag === 18) schema = read(r, endOf(r));
    else r.skipType(tag & 7);
  }
  return schema ?? allows;
}

export function writeSchemaOrBool(w: Writer, value: unknown, write: WriteSchema): void {
  const schema = value !== null && typeof value === 'object' ? value : undefined;
  w.fork();
  w.uint32(8).bool(schema !== undefined || value === true);
  if (schema !== undefined) writeSchema(w, 18, schema, write);
  w.ldelim();
}

/** A schema (field 1) or a list of property names (field 2); a schema without requirements when both are absent. */
export function readSchemaOrStringArray(r: Reader, read: ReadSchema): object | string[] {
  const end = endOf(r);
  let schema: object = {};
  let names: string[] | undefined;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 10) schema = read(r, endOf(r));
    else if (tag === 18) (names ??= []).push(r.string());
    else r.skipType(tag & 7);
  }
  return names ?? schema;
}

export function writeSchemaOrStringArray(w: Writer, value: unknown, write: WriteSchema): void {
  w.fork();
  if (Array.isArray(value)) for (const name of value) w.uint32(18).string(String(name));
  else if (value !== null && typeof value === 'object') writeSchema(w, 10, value, write);
  w.ldelim();
}

function writeSchema(w: Writer, tag: number, schema: object, write: WriteSchema): void {
  w.uint32(tag).fork();
  write(schema, w);
  w.ldelim();
}
