import type { ApiObject } from '../apimachinery/meta/object.ts';
import { deepCopy } from '../apimachinery/json/deep.ts';
import type { MessageSchema } from '../apimachinery/schema.ts';
import { messageOf } from '../codec/messages.ts';
import { schemaOf } from '../codec/schemas.ts';
import type { GeneratedMessage } from '../generated/kinds.ts';
import type { AnyResource, KindVersion } from './resource-definition.ts';

/** A resource in one of its versions, with what codecs need. */
export interface VersionedResource {
  readonly definition: AnyResource;
  readonly version: KindVersion;
  readonly groupVersion: string;
  readonly kind: string;
  readonly schema: MessageSchema;
  readonly message: GeneratedMessage;
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

/** All resources by the names under which clients and stores know them. */
export class Scheme {
  readonly resources: readonly AnyResource[];
  private readonly byResource = new Map<string, VersionedResource>();
  private readonly byKind = new Map<string, VersionedResource>();

  constructor(resources: readonly AnyResource[]) {
    this.resources = resources;
    for (const definition of resources) {
      for (const version of definition.versions) {
        const versioned = makeVersioned(definition, version);
        this.add(this.byResource, `${version.groupVersion}/${definition.resource}`, versioned);
        this.add(this.byKind, `${version.groupVersion}/${versioned.kind}`, versioned);
      }
      if (this.at(definition, definition.hub) === undefined)
        throw new Error(`${definition.resource}: hub ${definition.hub} is not among its versions`);
      if (this.at(definition, definition.storageVersion) === undefined)
        throw new Error(`${definition.resource}: no version ${definition.storageVersion} to store`);
    }
  }

  private add(index: Map<string, VersionedResource>, key: string, versioned: VersionedResource): void {
    if (index.has(key)) throw new Error(`${key} is registered twice`);
    index.set(key, versioned);
  }

  /** The resource served at `apps/v1` under `deployments`. */
  forResource(groupVersion: string, resource: string): VersionedResource | undefined {
    return this.byResource.get(`${groupVersion}/${resource}`);
  }

  forKind(groupVersion: string, kind: string): VersionedResource | undefined {
    return this.byKind.get(`${groupVersion}/${kind}`);
  }

  at(definition: AnyResource, groupVersion: string): VersionedResource | undefined {
    const found = this.forResource(groupVersion, definition.resource);
    return found?.definition === definition ? found : undefined;
  }

  /** The resource in its hub version. */
  hub(definition: AnyResource): VersionedResource {
    return this.at(definition, definition.hub)!;
  }
}

function makeVersioned(definition: AnyResource, version: KindVersion): VersionedResource {
  return {
    definition,
    version,
    groupVersion: version.groupVersion,
    kind: version.kind ?? definition.kind,
    schema: schemaOf(version.message),
    message: messageOf(version.message),
  };
}

/** Converts an object of `from`'s version to the hub; takes possession of `object`. */
export function toHub(from: VersionedResource, object: ApiObject): ApiObject {
  const hub = from.version.toHub === undefined ? object : (from.version.toHub(object) as ApiObject);
  hub.apiVersion = from.definition.hub;
  hub.kind = from.definition.kind;
  return hub;
}

/** Converts a hub object to `to`'s version; `object` stays as it is. */
export function fromHub(to: VersionedResource, object: ApiObject): ApiObject {
  const converted =
    to.version.fromHub === undefined ? { ...object } : (to.version.fromHub(deepCopy(object)) as ApiObject);
  converted.apiVersion = to.groupVersion;
  converted.kind = to.kind;
  return converted;
}
