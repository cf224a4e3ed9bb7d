import type { ApiObject } from '../apimachinery/object.ts';
import { parseJson, stringifyJson } from '../apimachinery/json.ts';
import { fromHub, toHub, type Scheme, type VersionedResource } from '../api/scheme.ts';
import type { AnyResource } from '../api/resource-definition.ts';
import { normalize } from '../codec/normalize.ts';
import { decodeEnvelope, hasMagic } from '../codec/protobuf/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from '../codec/protobuf/protobuf-codec.ts';
import { scanLabels } from '../codec/protobuf/scan-labels.ts';
import type { ObjectFormat } from '../storage/cacher/cached-object.ts';

/**
 * Between hub objects and stored bytes, for one resource. Any registered version is read, whether protobuf or JSON; one version is
 * written. `metadata.resourceVersion` is never stored: it is the key's revision.
 */
export class StorageCodec implements ObjectFormat {
  private readonly scheme: Scheme;
  private readonly definition: AnyResource;
  private readonly target: VersionedResource;
  private readonly asJson: boolean;

  constructor(scheme: Scheme, definition: AnyResource) {
    this.scheme = scheme;
    this.definition = definition;
    this.target = scheme.at(definition, definition.storageVersion)!;
    this.asJson = definition.storageEncoding === 'json' || this.target.message.write === undefined;
  }

  decode(value: Uint8Array, revision: number): ApiObject {
    const object = hasMagic(value) ? this.decodeProtobuf(value) : this.decodeJson(value);
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

  private decodeJson(value: Uint8Array): ApiObject {
    const parsed = parseJson(value) as ApiObject;
    const source = this.sourceOf(parsed.apiVersion ?? '', parsed.kind ?? '');
    const object = normalize<ApiObject>(parsed, source.schema);
    source.version.setDefaults?.(object);
    return toHub(source, object);
  }

  private sourceOf(apiVersion: string, kind: string): VersionedResource {
    const source = this.scheme.forKind(apiVersion, kind);
    if (source?.definition !== this.definition) throw new Error(`stored object of ${this.definition.resource} is of kind ${kind} in version ${apiVersion}`);
    return source;
  }

  /** The bytes to store; `object` stays as it is. */
  encode(object: ApiObject): Uint8Array {
    const stored = fromHub(this.target, object);
    const { resourceVersion: _, ...metadata } = stored.metadata;
    stored.metadata = metadata;
    // Fields in the order of declaration, so that equal objects are equal bytes, whatever way they came.
    if (this.asJson) return Buffer.from(stringifyJson(normalize(stored, this.target.schema)));
    return encodeProtobuf(this.target.message, this.target.groupVersion, this.target.kind, stored);
  }

  labels(value: Uint8Array): Record<string, string> | undefined {
    if (hasMagic(value)) return scanLabels(value);
    return (parseJson(value) as Partial<ApiObject>).metadata?.labels;
  }

  field(object: ApiObject, label: string): string {
    return this.definition.fieldLabels?.[label]?.(object) ?? '';
  }
}
