import type { SchemaData } from '../../codec/schema-data.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import { kindsOfMessages } from './definitions.ts';
import type { Descriptions } from './descriptions.ts';
import type { SchemaDialect } from './json-schema.ts';
import type { Parameter, PathItem } from './operation.ts';
import { optionParameters, parameterSets } from './parameters.ts';
import { resourcePaths } from './resource-paths.ts';
import type { SchemaContext } from './type-schemas.ts';

/** What documents of both versions are put together from. */

/** The paths of some resources. */
export function pathsOf(resources: readonly ServedResource[], descriptions: Descriptions): PathItem[] {
  const sets = parameterSets(descriptions);
  const options = (message: string): Parameter[] => optionParameters(message, descriptions);
  return resources.flatMap((resource) => resourcePaths(resource, sets, options));
}

/** The messages that operations name. */
export function rootsOf(items: readonly PathItem[]): Set<string> {
  const roots = new Set<string>();
  for (const { operations } of items) {
    for (const { body, result } of operations) {
      if (body !== undefined) roots.add(body.message);
      if (result !== 'text') roots.add(result.message);
    }
  }
  return roots;
}

/** `resources`: all that are served, since what groups share names the kinds of every group. */
export function schemaContext(
  resources: readonly ServedResource[],
  descriptions: Descriptions,
  dialect: SchemaDialect,
): SchemaContext {
  const data: SchemaData = Object.assign({}, ...resources.map(({ schema }) => schema ?? {}));
  const texts = Object.entries(data).map(([message, fields]) => [
    message,
    Object.fromEntries(fields.map(({ name, description = '' }) => [name, description])),
  ]);
  const all = { ...descriptions, ...(Object.fromEntries(texts) as Descriptions) };
  return { dialect, data, descriptions: all, kindsOf: kindsOfMessages(resources) };
}

/** A JSON object of members that are text already, in pieces. */
export function jsonObject(members: readonly Uint8Array[]): Uint8Array[] {
  return [open, ...members.flatMap((member, i) => (i === 0 ? [member] : [comma, member])), close];
}

/** `"name":value`. */
export function jsonMember(name: string, value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

/** A JSON object, in pieces: some members that are text already, between others. */
export function jsonDocument(
  head: object,
  texts: readonly (readonly [name: string, pieces: readonly Uint8Array[]])[],
  tail: object,
): Uint8Array[] {
  const inner = (object: object): Uint8Array => Buffer.from(JSON.stringify(object).slice(1, -1));
  const parts = texts.flatMap(([name, pieces]) => [Buffer.from(`,${JSON.stringify(name)}:`), ...pieces]);
  return [open, inner(head), ...parts, comma, inner(tail), close];
}

const open = Buffer.from('{');
const comma = Buffer.from(',');
const close = Buffer.from('}');
