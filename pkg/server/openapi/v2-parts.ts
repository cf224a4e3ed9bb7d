import type { ServedResource } from '../documents/served-resources.ts';
import { type PackedBytes, packBytes } from '../representation/packed-bytes.ts';
import { definitions } from './definitions.ts';
import { loadDescriptions } from './descriptions.ts';
import { coreVersionsPath, groupPath, groupsPath, resourcesPath, versionPath } from './discovery-paths.ts';
import { jsonMember, pathsOf, rootsOf, schemaContext } from './document-parts.ts';
import { v2Dialect } from './json-schema.ts';
import type { PathItem } from './operation.ts';
import type { TypeSchema } from './type-schemas.ts';
import { v2PathItem } from './v2.ts';
import { v2DefinitionBytes, v2PathBytes } from './v2-protobuf.ts';

/** Which parts of the document of v2 to build. Plain data, so that a worker can be asked. */
export interface V2Build {
  /** All that are served, also those of other groups. */
  readonly resources: readonly ServedResource[];
  readonly format: 'json' | 'protobuf';
  /** The core group, under the empty name, has what belongs to no group as well. */
  readonly groups: readonly string[];
}

/** Members of an object of the document, encoded one by one. */
export interface EncodedMembers {
  readonly names: readonly string[];
  readonly bytes: PackedBytes;
}

/** What one group has in the document: names among its paths and definitions. */
export interface V2Group {
  readonly group: string;
  readonly paths: readonly string[];
  readonly definitions: readonly string[];
}

export interface V2Parts {
  readonly paths: EncodedMembers;
  /** Those that groups share are there once. */
  readonly definitions: EncodedMembers;
  readonly groups: readonly V2Group[];
}

/** Takes up to a second in one go: a task for a worker. */
export async function buildV2Parts({ resources, format, groups }: V2Build): Promise<V2Parts> {
  const descriptions = await loadDescriptions();
  const context = schemaContext(resources, descriptions, v2Dialect);
  const known = new Map<string, TypeSchema>();
  const paths = new Map<string, Uint8Array>();
  const types = new Map<string, Uint8Array>();
  const built = groups.map((group) => {
    const own = resources.filter((resource) => resource.group === group);
    const items = [...fixedPaths(group, own), ...pathsOf(own, descriptions)];
    for (const item of items) paths.set(item.path, pathBytes(item, format));
    const schemas = definitions(rootsOf(items), context, known);
    for (const [name, schema] of schemas)
      if (!types.has(name))
        types.set(name, format === 'json' ? jsonMember(name, schema) : v2DefinitionBytes(name, schema));
    return { group, paths: items.map(({ path }) => path), definitions: schemas.map(([name]) => name) };
  });
  return { paths: encodedMembers(paths), definitions: encodedMembers(types), groups: built };
}

function fixedPaths(group: string, own: readonly ServedResource[]): PathItem[] {
  const versions = [...new Map(own.map((resource) => [resource.groupVersion, resource])).values()].map(resourcesPath);
  if (group === '') return [coreVersionsPath, groupsPath, versionPath, ...versions];
  return own.length === 0 ? [] : [groupPath(group), ...versions];
}

function pathBytes(item: PathItem, format: V2Build['format']): Uint8Array {
  return format === 'json' ? jsonMember(item.path, v2PathItem(item)) : v2PathBytes(item.path, v2PathItem(item));
}

function encodedMembers(members: ReadonlyMap<string, Uint8Array>): EncodedMembers {
  return { names: [...members.keys()], bytes: packBytes([...members.values()]) };
}
