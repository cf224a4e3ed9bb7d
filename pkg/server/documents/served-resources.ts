import { createHash } from 'node:crypto';
import type { VersionPriority } from '../../api/api-group.ts';
import type { AnyResource, KindVersion, Verb } from '../../api/resource-definition.ts';
import { groupOf, versionOf, type Scheme } from '../../api/scheme.ts';
import type { SchemaData } from '../../codec/schema-data.ts';
import { hasSchema } from '../../codec/schemas.ts';

/**
 * What the server serves, as plain data: discovery and OpenAPI are built from this alone, so that a worker can build
 * them and resources that are not compiled in can be added.
 */

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Group, version and kind of its bodies. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource in one group version. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly groupVersion: string;
  /** Where it is listed: higher ones come first. */
  readonly priority: VersionPriority;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  /** Message in `proto/`, `apps/v1.Deployment`. */
  readonly message: string;
  /** Field tables of a kind that is not in `proto/`. */
  readonly schema?: SchemaData;
  readonly namespaced: boolean;
  /** Sorted. */
  readonly verbs: readonly Verb[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Changes when objects are stored in another version; absent for resources that are not stored. */
  readonly storageVersionHash?: string;
  /** Sorted by name. */
  readonly subresources: readonly ServedSubresource[];
}

/** For groups without a priority, such as those of custom resources: behind all others, versions ordered by name. */
const LAST: VersionPriority = { group: 1000, version: 0 };

const allVerbs: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * All resources of the scheme in the group versions that are served (in `groups`), sorted by group version and name.
 */
export function servedResources(scheme: Scheme, groups?: ReadonlySet<string>): ServedResource[] {
  const served: ServedResource[] = [];
  for (const definition of scheme.resources) {
    for (const version of definition.versions) {
      if (version.served !== false && (groups === undefined || groups.has(groupOf(version.groupVersion))))
        served.push(serve(definition, version, scheme.priorityOf(version.groupVersion) ?? LAST));
    }
  }
  return served.sort((a, b) => compare(a.groupVersion, b.groupVersion) || compare(a.resource, b.resource));
}

/** `apps/v1`, `v1` and so on: the versions in which anything is served, sorted. */
export function servedGroupVersions(scheme: Scheme): string[] {
  return [...new Set(servedResources(scheme).map(({ groupVersion }) => groupVersion))];
}

/** Order of code units, in which paths are listed. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function serve(definition: AnyResource, version: KindVersion, priority: VersionPriority): ServedResource {
  const { groupVersion } = version;
  const subresources = (definition.subresources ?? []).filter(
    (s) => s.groupVersions === undefined || s.groupVersions.includes(groupVersion),
  );
  const kind = version.kind ?? definition.kind;
  return {
    group: groupOf(groupVersion),
    version: versionOf(groupVersion),
    groupVersion,
    priority,
    resource: definition.resource,
    singular: definition.singular,
    kind,
    message: version.message,
    ...(version.schemaData === undefined ? {} : { schema: version.schemaData }),
    namespaced: definition.namespaced,
    verbs: (definition.verbs ?? allVerbs).toSorted(),
    ...(isLegacyAlias(definition, groupVersion)
      ? { shortNames: [], categories: [] }
      : { shortNames: definition.shortNames ?? [], categories: definition.categories ?? [] }),
    ...(definition.storagePath === '' || definition.virtual
      ? {}
      : { storageVersionHash: storageVersionHash(definition) }),
    subresources: subresources.map((s) => serveSubresource(s, version, kind)).sort((a, b) => compare(a.name, b.name)),
  };
}

/**
 * Kinds that moved from `extensions` to another group are still served there under their full name, but not by short
 * name or category: clients would warn of the ambiguity, and list every object twice (release 1.11 does).
 */
function isLegacyAlias(definition: AnyResource, groupVersion: string): boolean {
  return groupOf(groupVersion) === 'extensions' && definition.group !== 'extensions';
}

function serveSubresource(
  subresource: NonNullable<AnyResource['subresources']>[number],
  parent: KindVersion,
  parentKind: string,
): ServedSubresource {
  const body = subresource.body ?? (subresource.scale === undefined ? undefined : scaleBody(parent));
  return {
    name: subresource.name,
    verbs: subresource.verbs.toSorted(),
    group: body?.group ?? groupOf(parent.groupVersion),
    version: body?.version ?? versionOf(parent.groupVersion),
    kind: body?.kind ?? parentKind,
  };
}

/** Older versions have their own Scale; all others share that of autoscaling. */
function scaleBody(parent: KindVersion): { group: string; version: string; kind: string } {
  const own = `${parent.message.slice(0, parent.message.lastIndexOf('.'))}.Scale`;
  if (hasSchema(own))
    return { group: groupOf(parent.groupVersion), version: versionOf(parent.groupVersion), kind: 'Scale' };
  return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
}

/** Base64 of the first eight bytes of the SHA-256 of `group/version/Kind` as stored. */
function storageVersionHash(definition: AnyResource): string {
  const stored = definition.versions.find((v) => v.groupVersion === definition.storageVersion);
  const name = [
    groupOf(definition.storageVersion),
    versionOf(definition.storageVersion),
    stored?.kind ?? definition.kind,
  ].join('/');
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}
