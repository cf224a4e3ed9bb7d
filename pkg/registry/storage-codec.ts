import type { ApiObject } from '../apimachinery/meta/object.ts';
import { parseJson, stringifyJson } from '../apimachinery/json/json.ts';
import { internalError } from '../apimachinery/errors/status-error.ts';
import { fromHub, toHub, type Scheme, type VersionedResource } from '../api/scheme.ts';
import type { AnyResource } from '../api/resource-definition.ts';
import { EmptyLists } from '../codec/empty-lists.ts';
import { normalize } from '../codec/normalize.ts';
import { isSameShape } from '../codec/same-shape.ts';
import { parseYaml, toYaml } from '../codec/yaml.ts';
import { decodeEnvelope, hasMagic } from '../codec/protobuf/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from '../codec/protobuf/protobuf-codec.ts';
import { scanLabels } from '../codec/protobuf/scan-labels.ts';
import { decryptionError } from '../storage/encryption/unopened-value.ts';
import type { ObjectFormat } from '../storage/cacher/cached-object.ts';

/**
 * Forms in which values are stored (`--storage-media-type`). Kinds without a protobuf form are JSON where others are
 * protobuf.
 */
export type StorageMediaType = 'application/vnd.kubernetes.protobuf' | 'application/json' | 'application/yaml';

/**
 * Between hub objects and stored bytes, for one resource. Any registered version is read, whether protobuf, JSON or
 * YAML; one version is written, in one media type. `metadata.resourceVersion` is never stored: it is the key's
 * revision.
 */
export class StorageCodec implements ObjectFormat {
  private readonly scheme: Scheme;
  private readonly definition: AnyResource;
  private readonly target: VersionedResource;
  private readonly mediaType: StorageMediaType;
  private emptyLists: EmptyLists | undefined;
  private sameShape: boolean | undefined;

  constructor(
    scheme: Scheme,
    definition: AnyResource,
    mediaType: StorageMediaType = 'application/vnd.kubernetes.protobuf',
  ) {
    this.scheme = scheme;
    this.definition = definition;
    this.target = scheme.at(definition, definition.storageVersion)!;
    const hasProtobuf = definition.storageEncoding !== 'json' && this.target.message.write !== undefined;
    this.mediaType =
      mediaType === 'application/vnd.kubernetes.protobuf' && !hasProtobuf ? 'application/json' : mediaType;
  }

  /** The object as it will be read back, once `value` was made of it; takes ownership of `object`. */
  readBack<T extends ApiObject>(object: T, value: Uint8Array): T {
    const isHub = this.definition.storageVersion === this.definition.hub;
    // Another version than the hub's may have fewer fields.
    if (!isHub && !this.keepsShape()) return this.decode(value, 0) as T;
    this.dropEmptyLists(object);
    // It has separate defaults.
    if (!isHub) this.target.version.setDefaults?.(object);
    return object;
  }

  /** The stored version has the fields of the hub: nothing is lost or changed by storing. */
  private keepsShape(): boolean {
    const { version, schema } = this.target;
    this.sameShape ??=
      version.toHub === undefined &&
      version.fromHub === undefined &&
      isSameShape(this.scheme.hub(this.definition).schema, schema);
    return this.sameShape;
  }

  /** Empty lists become what they would be if the object were stored. */
  dropEmptyLists(object: ApiObject): void {
    if (this.mediaType !== 'application/vnd.kubernetes.protobuf') return;
    this.emptyLists ??= new EmptyLists(this.scheme.hub(this.definition).schema);
    this.emptyLists.drop(object);
  }

  decode(value: Uint8Array, revision: number, key = ''): ApiObject {
    checkOpened(value, key);
    const object = hasMagic(value) ? this.decodeProtobuf(value) : this.decodeText(value);
    object.metadata.resourceVersion = String(revision);
    return object;
  }

  private decodeProtobuf(value: Uint8Array): ApiObject {
    const envelope = decodeEnvelope(value);
    const source = this.sourceOf(envelope.apiVersion, envelope.kind);
    const object = decodeProtobuf<ApiObject>(source.message, envelope.raw, envelope.apiVersion, envelope.kind);
    source.version.setDefaults?.(object);
    return toHub(source, object);
  }

  private decodeText(value: Uint8Array): ApiObject {
    const parsed = parseText(value);
    const source = this.sourceOf(parsed.apiVersion ?? '', parsed.kind ?? '');
    const object = normalize<ApiObject>(parsed, source.schema);
    source.version.setDefaults?.(object);
    return toHub(source, object);
  }

  private sourceOf(apiVersion: string, kind: string): VersionedResource {
    const source = this.scheme.forKind(apiVersion, kind);
    if (source?.definition !== this.definition)
      throw new Error(`stored object of ${this.definition.resource} is of kind ${kind} in version ${apiVersion}`);
    return source;
  }

  /** The bytes to store; `object` stays unchanged. */
  encode(object: ApiObject): Uint8Array {
    const stored = fromHub(this.target, object);
    const { resourceVersion: _, ...metadata } = stored.metadata;
    stored.metadata = metadata;
    // Fields in the order of declaration, so that equal objects are equal bytes, whatever their origin.
    switch (this.mediaType) {
      case 'application/json':
        return Buffer.from(stringifyJson(normalize(stored, this.target.schema)));
      case 'application/yaml':
        return Buffer.from(toYaml(normalize(stored, this.target.schema)));
      case 'application/vnd.kubernetes.protobuf':
        return encodeProtobuf(this.target.message, this.target.groupVersion, this.target.kind, stored);
    }
  }

  labels(value: Uint8Array, key = ''): Record<string, string> | undefined {
    checkOpened(value, key);
    if (hasMagic(value)) return scanLabels(value);
    return (parseText(value) as Partial<ApiObject>).metadata?.labels;
  }

  field(object: ApiObject, label: string): string {
    return this.definition.fieldLabels?.[label]?.(object) ?? '';
  }
}

/** A stored value that cannot be decrypted is an error of its object, and of nothing else. */
function checkOpened(value: Uint8Array, key: string): void {
  const problem = decryptionError(value, key);
  if (problem !== undefined) throw internalError(problem);
}

const OPENING_BRACE = 0x7b;

/** What is stored as text is JSON when it begins with a brace, else YAML. */
function parseText(value: Uint8Array): ApiObject {
  const parsed = value[0] === OPENING_BRACE ? parseJson(value) : parseYaml(Buffer.from(value).toString());
  if (typeof parsed !== 'object' || parsed === null) throw new Error('stored value is no object');
  return parsed as ApiObject;
}
