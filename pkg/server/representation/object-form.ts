import type { VersionedResource } from '../../api/scheme.ts';
import { fromHub } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/object.ts';
import { stringifyJson } from '../../apimachinery/json.ts';
import { encodeMessage } from '../../codec/protobuf/protobuf-codec.ts';
import type { CachedObject, Representation } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';

/** The list metadata that a client sees. */
export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/**
 * One way to answer with objects of a resource: the bytes of an item (made once per object and kept with it), and how items are put together
 * into a single answer, a list, or a frame of a watch.
 */
export interface ObjectForm {
  readonly contentType: string;
  /** Content type of watch streams. */
  readonly watchContentType: string;
  readonly item: Representation;
  single(object: CachedObject): Uint8Array[];
  /** What stands before, between and after the items of a list; `itemPrefix` is put before each item and may depend on its length. */
  list(meta: ListMeta): ListFraming;
  frame(type: WatchEventType, object: CachedObject): Uint8Array;
  bookmark(revision: number, endOfInitialEvents: boolean): Uint8Array;
  /** A Status as the last frame of a watch. */
  errorFrame(status: object): Uint8Array;
}

export interface ListFraming {
  readonly head: Uint8Array;
  readonly separator: Uint8Array;
  /** Bytes before an item of this length, beyond the separator. */
  itemPrefix?(itemBytes: number): Uint8Array;
  readonly tail: Uint8Array;
}

const text = new TextEncoder();
export const utf8 = (s: string): Uint8Array => text.encode(s);
export const noBytes = new Uint8Array(0);

/** The object in a version, `kind` and `apiVersion` first. */
export function inVersion(target: VersionedResource, object: ApiObject): ApiObject {
  return fromHub(target, object);
}

/** JSON of the object without `kind` and `apiVersion`, as items of lists are. */
export function jsonItem(target: VersionedResource): Representation {
  return {
    key: `${target.groupVersion};json`,
    cacheable: true,
    encode: (object) => {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = fromHub(target, object.object());
      return Buffer.from(stringifyJson(rest));
    },
  };
}

/** The protobuf message of the object, without envelope. */
export function protobufItem(target: VersionedResource): Representation {
  return {
    key: `${target.groupVersion};protobuf`,
    cacheable: true,
    encode: (object) => encodeMessage(target.message, fromHub(target, object.object())),
  };
}

export function bookmarkMetadata(revision: number, endOfInitialEvents: boolean): object {
  return {
    resourceVersion: String(revision),
    creationTimestamp: null,
    ...(endOfInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  };
}
