import type { SchemaData } from '../../codec/schema-data.ts';
import { compare, type ServedResource } from '../documents/served-resources.ts';
import { definitions, kindsOfMessages } from './definitions.ts';
import { type Descriptions, loadDescriptions } from './descriptions.ts';
import { coreVersionsPath, groupPath, groupsPath, resourcesPath, versionPath } from './discovery-paths.ts';
import { type JsonSchema, type SchemaDialect, v2Dialect, v3Dialect } from './json-schema.ts';
import type { Parameter, PathItem } from './operation.ts';
import { optionParameters, parameterSets } from './parameters.ts';
import { resourcePaths } from './resource-paths.ts';
import { v2PathItem, v2Security } from './v2.ts';
import { v2DefinitionBytes, v2DocumentBytes, v2PathBytes } from './v2-protobuf.ts';
import { v3PathItem, v3Security, v3SecuritySchemes } from './v3.ts';
import { v3DefinitionBytes, v3DocumentBytes, v3PathBytes } from './v3-protobuf.ts';

/** What to build. Plain data, so that a worker can be asked. */
export interface OpenApiBuild {
  readonly resources: readonly ServedResource[];
  readonly info: { readonly title: string; readonly version: string };
  readonly format: 'json' | 'protobuf';
  /** A document of v3 by its name, `apis/apps/v1`; the one document of v2 when absent. */
  readonly v3Document?: string;
}

/** The bytes of the document. Takes up to a second in one go: a task for a worker. */
export async function buildOpenApi(build: OpenApiBuild): Promise<Uint8Array> {
  const descriptions = await loadDescriptions();
  const { v3Document } = build;
  return v3Document === undefined
    ? buildV2({ ...build, descriptions })
    : buildV3({ ...build, descriptions }, v3Document);
}

/** With the texts, which every thread loads for itself. */
interface Build extends OpenApiBuild {
  readonly descriptions: Descriptions;
}

function buildV2(build: Build): Uint8Array {
  const items = sortedPaths(build.resources, build, [
    coreVersionsPath,
    groupsPath,
    versionPath,
    ...groupPaths(build.resources),
    ...versionPaths(build.resources),
  ]);
  const types = definitions(rootsOf(items), schemaContext(build, v2Dialect));
  const head = { swagger: '2.0', info: build.info } as const;
  if (build.format === 'protobuf') {
    const paths = items.map((item) => v2PathBytes(item.path, v2PathItem(item)));
    const schemas = types.map(([name, schema]) => v2DefinitionBytes(name, schema));
    return v2DocumentBytes(head, paths, schemas);
  }
  const paths = members(items.map((item) => [item.path, () => v2PathItem(item)]));
  const schemas = members(types.map(([name, schema]) => [name, () => schema]));
  return document(
    { ...head },
    [
      ['paths', paths],
      ['definitions', schemas],
    ],
    v2Security,
  );
}

function buildV3(build: Build, name: string): Uint8Array {
  const items = sortedPaths(resourcesOf(build, name), build, fixedPaths(build, name));
  const types = definitions(rootsOf(items), schemaContext(build, v3Dialect));
  const head = { openapi: '3.0.0', info: build.info } as const;
  if (build.format === 'protobuf') {
    const paths = items.map((item) => v3PathBytes(item.path, v3PathItem(item)));
    const schemas = types.map(([type, schema]) => v3DefinitionBytes(type, schema));
    return v3DocumentBytes(head, paths, schemas);
  }
  const paths = members(items.map((item) => [item.path, () => v3PathItem(item)]));
  const schemas = members(types.map(([type, schema]) => [type, () => schema]));
  const components = [
    Buffer.from('{"schemas":'),
    ...schemas,
    Buffer.from(`,"securitySchemes":${JSON.stringify(v3SecuritySchemes)}}`),
  ];
  return document(
    { ...head },
    [
      ['paths', paths],
      ['components', components],
    ],
    { security: v3Security },
  );
}

/** The resources of a document that is about a group version; none for the others. */
function resourcesOf(build: Build, name: string): readonly ServedResource[] {
  const groupVersion = /^(?:api|apis\/[^/]+(?=\/))\/./.test(name) ? name.replace(/^apis?\//, '') : undefined;
  return build.resources.filter((r) => r.groupVersion === groupVersion);
}

function fixedPaths(build: Build, name: string): PathItem[] {
  if (name === 'api') return [coreVersionsPath];
  if (name === 'apis') return [groupsPath];
  if (name === 'version') return [versionPath];
  const [own] = resourcesOf(build, name);
  return own === undefined ? [groupPath(name.slice('apis/'.length))] : [resourcesPath(own)];
}

const groupPaths = (resources: readonly ServedResource[]): PathItem[] =>
  [...new Set(resources.map((r) => r.group))].filter((g) => g !== '').map(groupPath);

const versionPaths = (resources: readonly ServedResource[]): PathItem[] =>
  [...new Map(resources.map((r) => [r.groupVersion, r])).values()].map(resourcesPath);

function sortedPaths(resources: readonly ServedResource[], build: Build, fixed: readonly PathItem[]): PathItem[] {
  const sets = parameterSets(build.descriptions);
  const options = (message: string): Parameter[] => optionParameters(message, build.descriptions);
  const items = resources.flatMap((resource) => resourcePaths(resource, sets, options));
  return [...fixed, ...items].sort((a, b) => compare(a.path, b.path));
}

/** The messages that operations name. */
function rootsOf(items: readonly PathItem[]): Set<string> {
  const roots = new Set<string>();
  for (const { operations } of items) {
    for (const { body, result } of operations) {
      if (body !== undefined) roots.add(body.message);
      if (result !== 'text') roots.add(result.message);
    }
  }
  return roots;
}

function schemaContext(build: Build, dialect: SchemaDialect): Parameters<typeof definitions>[1] {
  const data: SchemaData = Object.assign({}, ...build.resources.map(({ schema }) => schema ?? {}));
  const texts = Object.entries(data).map(([message, fields]) => [
    message,
    Object.fromEntries(fields.map(({ name, description = '' }) => [name, description])),
  ]);
  const descriptions = { ...build.descriptions, ...(Object.fromEntries(texts) as Descriptions) };
  return { dialect, data, descriptions, kindsOf: kindsOfMessages(build.resources) };
}

/** The members of a JSON object as text, so that no more than one of them is there twice. */
function members(entries: readonly (readonly [name: string, value: () => JsonSchema | object])[]): Uint8Array[] {
  const texts = entries.map(([name, value], i) =>
    Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value())}`),
  );
  return [open, ...texts, close];
}

const open = Buffer.from('{');
const close = Buffer.from('}');

/** A JSON object of members that are text already, between others. */
function document(
  head: object,
  texts: readonly (readonly [name: string, pieces: readonly Uint8Array[]])[],
  tail: object,
): Uint8Array {
  const inner = (object: object): Uint8Array => Buffer.from(JSON.stringify(object).slice(1, -1));
  const parts = texts.flatMap(([name, pieces]) => [Buffer.from(`,${JSON.stringify(name)}:`), ...pieces]);
  return Buffer.concat([open, inner(head), ...parts, Buffer.from(','), inner(tail), close]);
}
