import { groupVersionOf, type Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { METADATA_TYPE } from './partial-metadata.ts';
import type { FrameSplitter } from './watch-frames.ts';

/** A list as it came; its items have their `apiVersion` and `kind`. */
export interface DecodedList<T extends ApiObject> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: T[];
}

/** One frame of a watch; `object` is a Status where `type` is `ERROR`. */
export interface DecodedEvent {
  readonly type: string;
  readonly object: ApiObject;
}

/** One serialization of objects. Decoders throw what their parsers throw; callers make `ConnectionError`s of it. */
export interface BodyCodec {
  readonly contentType: string;
  encode(object: object): Uint8Array;
  /** Any single object, a Status among them. */
  decode<T>(body: Buffer): T;
  decodeList<T extends ApiObject>(body: Buffer, resource: Resource<T>): DecodedList<T>;
  frames(frameBytesMax: number): FrameSplitter;
  decodeEvent(frame: Buffer): DecodedEvent;
}

/** Items of lists come without the type that the list says; programs hand them on alone. In place. */
export function withType(items: ApiObject[], resource: Resource): void {
  const { apiVersion, kind } = resource.metadataOnly === true ? METADATA_TYPE : typeOf(resource);
  for (const item of items) {
    item.apiVersion ??= apiVersion;
    item.kind ??= kind;
  }
}

function typeOf(resource: Resource): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: groupVersionOf(resource), kind: resource.kind };
}
