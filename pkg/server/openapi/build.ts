import { compare, type ServedResource } from '../documents/served-resources.ts';
import { definitions } from './definitions.ts';
import { type Descriptions, loadDescriptions } from './descriptions.ts';
import { coreVersionsPath, groupPath, groupsPath, resourcesPath, versionPath } from './discovery-paths.ts';
import { jsonDocument, jsonMember, jsonObject, pathsOf, rootsOf, schemaContext } from './document-parts.ts';
import { v3Dialect } from './json-schema.ts';
import type { PathItem } from './operation.ts';
import { v3PathItem, v3Security, v3SecuritySchemes } from './v3.ts';
import { v3DefinitionBytes, v3DocumentBytes, v3PathBytes } from './v3-protobuf.ts';

/** The document to build. Plain data, so that it can be passed to a worker. */
export interface OpenApiBuild {
  readonly resources: readonly ServedResource[];
  readonly info: { readonly title: string; readonly version: string };
  readonly format: 'json' | 'protobuf';
  /** A document of v3 by its name, `apis/apps/v1`. */
  readonly v3Document: string;
}

/** The bytes of a document of v3. Takes up to a second in one go: a task for a worker. */
export async function buildOpenApi(build: OpenApiBuild): Promise<Uint8Array> {
  const { resources, info, v3Document: name } = build;
  const descriptions = await loadDescriptions();
  const items = [...fixedPaths(resources, name), ...ownPaths(resources, name, descriptions)].sort((a, b) =>
    compare(a.path, b.path),
  );
  const types = definitions(rootsOf(items), schemaContext(resources, descriptions, v3Dialect));
  const head = { openapi: '3.0.0', info } as const;
  if (build.format === 'protobuf') {
    const paths = items.map((item) => v3PathBytes(item.path, v3PathItem(item)));
    const schemas = types.map(([type, schema]) => v3DefinitionBytes(type, schema));
    return v3DocumentBytes(head, paths, schemas);
  }
  const paths = jsonObject(items.map((item) => jsonMember(item.path, v3PathItem(item))));
  const components = [
    Buffer.from('{"schemas":'),
    ...jsonObject(types.map(([type, schema]) => jsonMember(type, schema))),
    Buffer.from(`,"securitySchemes":${JSON.stringify(v3SecuritySchemes)}}`),
  ];
  const texts = [['paths', paths] as const, ['components', components] as const];
  return Buffer.concat(jsonDocument(head, texts, { security: v3Security }));
}

function ownPaths(resources: readonly ServedResource[], name: string, descriptions: Descriptions): PathItem[] {
  return pathsOf(resourcesOf(resources, name), descriptions);
}

/** The resources of a document that is about a group version; none for the others. */
function resourcesOf(resources: readonly ServedResource[], name: string): readonly ServedResource[] {
  const groupVersion = /^(?:api|apis\/[^/]+(?=\/))\/./.test(name) ? name.replace(/^apis?\//, '') : undefined;
  return resources.filter((r) => r.groupVersion === groupVersion);
}

function fixedPaths(resources: readonly ServedResource[], name: string): PathItem[] {
  if (name === 'api') return [coreVersionsPath];
  if (name === 'apis') return [groupsPath];
  if (name === 'version') return [versionPath];
  const [own] = resourcesOf(resources, name);
  return own === undefined ? [groupPath(name.slice('apis/'.length))] : [resourcesPath(own)];
}
