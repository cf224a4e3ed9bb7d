import type { ApiObject } from '../apimachinery/meta/object.ts';
import { deepCopy } from '../apimachinery/json/deep.ts';
import type { MessageSchema } from '../apimachinery/schema.ts';
import { messageOf } from '../codec/messages.ts';
import { schemaOf } from '../codec/schemas.ts';
import type { GeneratedMessage } from '../generated/kinds.ts';
import { priorityIn, type ApiGroup, type VersionPriority } from './api-group.ts';
import { groupVersionOf, resourceKey, type Resource } from './resource.ts';
import type { AnyResource, KindVersion } from './resource-definition.ts';

/** A resource in one of its versions, with the data that codecs need. */
export interface VersionedResource {
  readonly definition: AnyResource;
  readonly version: KindVersion;
  readonly groupVersion: string;
  readonly kind: string;
  readonly schema: MessageSchema;
  readonly message: GeneratedMessage;
}

/** Finds kinds by the names that bodies carry. */
export interface KindLookup {
  forKind(groupVersion: string, kind: string): VersionedResource | undefined;
}

/** Group of `apps/v1`; empty for the core group's `v1`. */
export function groupOf(groupVersion: string): string {
  const slash = groupVersion.indexOf('/');
  return slash < 0 ? '' : groupVersion.slice(0, slash);
}

/** Version of `apps/v1` or `v1`. */
export function versionOf(groupVersion: string): string {
  return groupVersion.slice(groupVersion.indexOf('/') + 1);
}

/** Resources by their names in clients and stores: the read side of `ResourceRegistry`; immutable in itself. */
export class Scheme {
  private list: readonly AnyResource[] = [];
  private readonly byResource = new Map<string, VersionedResource>();
  private readonly byKind = new Map<string, VersionedResource>();
  private readonly byName = new Map<string, AnyResource>();
  private readonly byStoragePath = new Map<string, AnyResource>();
  private readonly groups: ReadonlyMap<string, ApiGroup>;

  /** `groups` places the groups of resources among each other; those that are not named come last. */
  constructor(resources: readonly AnyResource[], groups: readonly ApiGroup[] = []) {
    this.groups = new Map(groups.map((group) => [group.name, group]));
    for (const definition of resources) this.insert(definition);
  }

  get resources(): readonly AnyResource[] {
    return this.list;
  }

  /** The resource served at `apps/v1` under `deployments`. */
  forResource(groupVersion: string, resource: string): VersionedResource | undefined {
    return this.byResource.get(`${groupVersion}/${resource}`);
  }

  /** Whether clients can ask for the resource of a token in its version. */
  serves(resource: Resource): boolean {
    const found = this.forResource(groupVersionOf(resource), resource.resource);
    return found !== undefined && found.version.served !== false;
  }

  forKind(groupVersion: string, kind: string): VersionedResource | undefined {
    return this.byKind.get(`${groupVersion}/${kind}`);
  }

  /** The resource named `deployments.apps` or `pods`, as `resourceKey` makes names. */
  named(name: string): AnyResource | undefined {
    return this.byName.get(name);
  }

  /** The resource whose objects are stored below `services/specs`. */
  forStoragePath(path: string): AnyResource | undefined {
    return this.byStoragePath.get(path);
  }

  /** The priority of `apps/v1` in the order of groups; undefined for groups without one. */
  priorityOf(groupVersion: string): VersionPriority | undefined {
    const group = this.groups.get(groupOf(groupVersion));
    return group === undefined ? undefined : priorityIn(group, versionOf(groupVersion));
  }

  at(definition: AnyResource, groupVersion: string): VersionedResource | undefined {
    const found = this.forResource(groupVersion, definition.resource);
    return found?.definition === definition ? found : undefined;
  }

  /** The resource in its hub version, also for requests in flight when it is removed or replaced. */
  hub(definition: AnyResource): VersionedResource {
    return this.at(definition, definition.hub) ?? makeVersioned(definition, hubVersion(definition));
  }

  /** Adds a definition to all indexes; throws where a name or place is taken, and then has changed nothing. */
  protected insert(definition: AnyResource): void {
    const versions = definition.versions.map((version) => makeVersioned(definition, version));
    const served = new Set(versions.map(({ groupVersion }) => groupVersion));
    if (!served.has(definition.hub))
      throw new Error(`${definition.resource}: hub ${definition.hub} is not among its versions`);
    if (!served.has(definition.storageVersion))
      throw new Error(`${definition.resource}: no version ${definition.storageVersion} to store`);
    const name = resourceKey(definition);
    const path = definition.virtual === true ? '' : definition.storagePath;
    for (const versioned of versions) {
      assertFree(this.byResource, resourceIndexKey(versioned));
      assertFree(this.byKind, kindIndexKey(versioned));
    }
    if (path !== '') {
      assertFree(this.byName, name);
      this.assertPathFree(path, definition);
    }
    for (const versioned of versions) {
      this.byResource.set(resourceIndexKey(versioned), versioned);
      this.byKind.set(kindIndexKey(versioned), versioned);
    }
    // A resource that is never stored may share a name.
    if (!this.byName.has(name)) this.byName.set(name, definition);
    if (path !== '') this.byStoragePath.set(path, definition);
    this.list = [...this.list, definition];
  }

  /** Removes a definition from all indexes. */
  protected delete(definition: AnyResource): void {
    for (const version of definition.versions) {
      const versioned = this.at(definition, version.groupVersion);
      if (versioned === undefined) continue;
      this.byResource.delete(resourceIndexKey(versioned));
      this.byKind.delete(kindIndexKey(versioned));
    }
    const name = resourceKey(definition);
    if (this.byName.get(name) === definition) this.byName.delete(name);
    if (this.byStoragePath.get(definition.storagePath) === definition)
      this.byStoragePath.delete(definition.storagePath);
    this.list = this.list.filter((other) => other !== definition);
  }

  /** Finds a definition by its path alone, before it is added; undone by the returned function. */
  protected claimPath(definition: AnyResource): () => void {
    const { storagePath } = definition;
    this.assertPathFree(storagePath, definition);
    this.byStoragePath.set(storagePath, definition);
    return () => {
      if (!this.list.includes(definition) && this.byStoragePath.get(storagePath) === definition)
        this.byStoragePath.delete(storagePath);
    };
  }

  /** A key of one resource must not be one of another: no path lies within another. */
  private assertPathFree(path: string, owner: AnyResource): void {
    for (const [taken, definition] of this.byStoragePath) {
      const collides = taken === path || taken.startsWith(`${path}/`) || path.startsWith(`${taken}/`);
      if (collides && definition !== owner) throw new Error(`${path} is registered twice`);
    }
  }
}

function hubVersion({ hub, versions }: AnyResource): KindVersion {
  return versions.find(({ groupVersion }) => groupVersion === hub)!;
}

const resourceIndexKey = (versioned: VersionedResource): string =>
  `${versioned.groupVersion}/${versioned.definition.resource}`;
const kindIndexKey = (versioned: VersionedResource): string => `${versioned.groupVersion}/${versioned.kind}`;

function assertFree(index: ReadonlyMap<string, unknown>, key: string): void {
  if (index.has(key)) throw new Error(`${key} is registered twice`);
}

function makeVersioned(definition: AnyResource, version: KindVersion): VersionedResource {
  return {
    definition,
    version,
    groupVersion: version.groupVersion,
    kind: version.kind ?? definition.kind,
    schema: versionSchema(version),
    message: version.schema === undefined ? messageOf(version.message) : withoutProtobuf(definition, version),
  };
}

/** The field table of a version: its own, or the generated one of its message. */
export function versionSchema(version: KindVersion): MessageSchema {
  return version.schema ?? schemaOf(version.message);
}

/** The codec of a kind that is only ever JSON or YAML. */
function withoutProtobuf(definition: AnyResource, version: KindVersion): GeneratedMessage {
  return {
    message: version.message,
    group: groupOf(version.groupVersion),
    version: versionOf(version.groupVersion),
    kind: version.kind ?? definition.kind,
    isKind: true,
    namespaced: definition.namespaced,
    read: undefined,
    write: undefined,
  };
}

/** Converts an object of `from`'s version to the hub; takes ownership of `object`. */
export function toHub(from: VersionedResource, object: ApiObject): ApiObject {
  const hub = from.version.toHub === undefined ? object : (from.version.toHub(object) as ApiObject);
  hub.apiVersion = from.definition.hub;
  hub.kind = from.definition.kind;
  return hub;
}

/** Converts a hub object to `to`'s version; `object` stays unchanged. */
export function fromHub(to: VersionedResource, object: ApiObject): ApiObject {
  const converted =
    to.version.fromHub === undefined ? { ...object } : (to.version.fromHub(deepCopy(object)) as ApiObject);
  converted.apiVersion = to.groupVersion;
  converted.kind = to.kind;
  return converted;
}
