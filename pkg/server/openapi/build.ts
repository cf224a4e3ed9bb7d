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

/** A build cut into steps of a millisecond or less; the bytes of the document come at the end. */
export type OpenApiSteps = Generator<undefined, Uint8Array>;

/** Builds in one go: a task for a worker. */
export async function buildOpenApi(build: OpenApiBuild): Promise<Uint8Array> {
  const steps = openApiSteps(build, await loadDescriptions());
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function openApiSteps(build: OpenApiBuild, descriptions: Descriptions): OpenApiSteps {
  const { v3Document } = build;
  return v3Document === undefined ? v2Steps({ ...build, descriptions }) : v3Steps({ ...build, descriptions }, v3Document);
}

/** With the texts, which every thread loads for itself. */
interface Build extends OpenApiBuild {
  readonly descriptions: Descriptions;
}

/** Names of all documents of v3, sorted. */
export function v3DocumentNames(resources: readonly ServedResource[]): string[] {
  const names = new Set(['api', 'apis', 'version']);
  for (const { group, groupVersion } of resources) {
    names.add(group === '' ? `api/${groupVersion}` : `apis/${groupVersion}`);
    if (group !== '') names.add(`apis/${group}`);
  }
  return [...names].sort(compare);
}

function* v2Steps(build: Build): OpenApiSteps {
  const items = yield* sortedPaths(build.resources, build, [coreVersionsPath, groupsPath, versionPath, ...groupPaths(build.resources), ...versionPaths(build.resources)]);
  const types = yield* definitions(rootsOf(items), schemaContext(build, v2Dialect));
  const head = { swagger: '2.0', info: build.info } as const;
  if (build.format === 'protobuf') {
    const paths = yield* each(items, (item) => v2PathBytes(item.path, v2PathItem(item)));
    const schemas = yield* each(types, ([name, schema]) => v2DefinitionBytes(name, schema));
    return v2DocumentBytes(head, paths, schemas);
  }
  const paths = yield* members(items.map((item) => [item.path, () => v2PathItem(item)]));
  const schemas = yield* members(types.map(([name, schema]) => [name, () => schema]));
  return document({ ...head }, [['paths', paths], ['definitions', schemas]], v2Security);
}

function* v3Steps(build: Build, name: string): OpenApiSteps {
  const items = yield* sortedPaths(resourcesOf(build, name), build, fixedPaths(build, name));
  const types = yield* definitions(rootsOf(items), schemaContext(build, v3Dialect));
  const head = { openapi: '3.0.0', info: build.info } as const;
  if (build.format === 'protobuf') {
    const paths = yield* each(items, (item) => v3PathBytes(item.path, v3PathItem(item)));
    const schemas = yield* each(types, ([type, schema]) => v3DefinitionBytes(type, schema));
    return v3DocumentBytes(head, paths, schemas);
  }
  const paths = yield* members(items.map((item) => [item.path, () => v3PathItem(item)]));
  const schemas = yield* members(types.map(([type, schema]) => [type, () => schema]));
  const components = [Buffer.from('{"schemas":'), ...schemas, Buffer.from(`,"securitySchemes":${JSON.stringify(v3SecuritySchemes)}}`)];
  return document({ ...head }, [['paths', paths], ['components', components]], { security: v3Security });
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

const groupPaths = (resources: readonly ServedResource[]): PathItem[] => [...new Set(resources.map((r) => r.group))].filter((g) => g !== '').map(groupPath);

const versionPaths = (resources: readonly ServedResource[]): PathItem[] => [...new Map(resources.map((r) => [r.groupVersion, r])).values()].map(resourcesPath);

function* sortedPaths(resources: readonly ServedResource[], build: Build, fixed: readonly PathItem[]): Generator<undefined, PathItem[]> {
  const sets = parameterSets(build.descriptions);
  const options = (message: string): Parameter[] => optionParameters(message, build.descriptions);
  const items = yield* each(resources, (resource) => resourcePaths(resource, sets, options));
  return [...fixed, ...items.flat()].sort((a, b) => compare(a.path, b.path));
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
  return { dialect, descriptions: build.descriptions, kindsOf: kindsOfMessages(build.resources) };
}

function* each<T, R>(list: readonly T[], step: (value: T, index: number) => R): Generator<undefined, R[]> {
  const results: R[] = [];
  for (const [index, value] of list.entries()) {
    results.push(step(value, index));
    yield;
  }
  return results;
}

/** The members of a JSON object, one a step. */
function* members(entries: readonly (readonly [name: string, value: () => JsonSchema | object])[]): Generator<undefined, Uint8Array[]> {
  const texts = yield* each(entries, ([name, value], i) => Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value())}`));
  return [open, ...texts, close];
}

const open = Buffer.from('{');
const close = Buffer.from('}');

/** A JSON object of members that are text already, between others. */
function document(head: object, texts: readonly (readonly [name: string, pieces: readonly Uint8Array[]])[], tail: object): Uint8Array {
  const inner = (object: object): Uint8Array => Buffer.from(JSON.stringify(object).slice(1, -1));
  const parts = texts.flatMap(([name, pieces]) => [Buffer.from(`,${JSON.stringify(name)}:`), ...pieces]);
  return Buffer.concat([open, inner(head), ...parts, Buffer.from(','), inner(tail), close]);
}
