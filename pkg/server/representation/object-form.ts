import type { VersionedResource } from '../../api/scheme.ts';
import { fromHub } from '../../api/scheme.ts';
import type { MessageSchema } from '../../apimachinery/schema.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { encodeMessage } from '../../codec/protobuf/protobuf-codec.ts';
import { StoredItems } from '../../codec/stored/stored-item.ts';
import type { GeneratedMessage } from '../../generated/kinds.ts';
import type { CachedObject, Representation } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';
import type { Piece } from '../answers/piece.ts';

/** The list metadata that a client sees. */
export interface ListMeta {
  /** Absent in lists of what is not stored. */
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** How items are made from stored bytes, without decoding and keeping them. */
export interface FromStored {
  /** Whether it can be done for the object. */
  serves(object: CachedObject): boolean;
  /** The item of an object that is served; valid until the next call. */
  write(object: CachedObject): Uint8Array;
  /** The length of that item, where it is known before. */
  readonly length?: (object: CachedObject) => number;
}

/** The bytes of an item. */
export interface ItemRepresentation extends Representation {
  readonly fromStored?: FromStored | undefined;
}

/**
 * One way to answer with objects of a resource: the bytes of an item (made once per object and kept with it), and how
 * items are joined into a single answer, a list, or a frame of a watch.
 */
export interface ObjectForm {
  readonly contentType: string;
  /** Content type of watch streams. */
  readonly watchContentType: string;
  readonly item: ItemRepresentation;
  single(object: CachedObject): Uint8Array[];
  list(meta: ListMeta): ListFraming;
  /**
   * Of a form whose items are not kept: an item of a list in pieces, so that what is made again need not be put
   * together with what is kept.
   */
  pieces?(object: CachedObject): readonly Piece[];
  frame(type: WatchEventType, object: CachedObject): Uint8Array;
  bookmark(revision: number, endOfInitialEvents: boolean): Uint8Array;
  /** A Status as the last frame of a watch. */
  errorFrame(status: object): Uint8Array;
}

export interface ListFraming {
  /** The head of the list; `itemsBytes` is the length of all between head and tail. */
  head(itemsBytes: number): Uint8Array;
  readonly separator: Uint8Array;
  /** Bytes before an item of this length, beyond the separator. */
  itemPrefix?(itemBytes: number): Uint8Array;
  readonly tail: Uint8Array;
  /** The whole of an empty list, where it is not just head and tail. */
  readonly empty?: Uint8Array;
}

/** The type that a form shows: a resource in a version, or the metadata of any object. */
export interface FormTarget {
  readonly groupVersion: string;
  readonly kind: string;
  readonly schema: MessageSchema;
  readonly message: GeneratedMessage;
}

const text = new TextEncoder();
export const utf8 = (s: string): Uint8Array => text.encode(s);
export const noBytes = new Uint8Array(0);

/** JSON of the object without `kind` and `apiVersion`, as items of lists are. */
export function jsonItem(target: VersionedResource): ItemRepresentation {
  const stored = StoredItems.of(target);
  return {
    key: `${target.groupVersion};json`,
    cacheable: true,
    fromStored: stored && {
      serves: (object) => stored.serve(object, 'json'),
      write: (object) => stored.json(object),
    },
    encode: (object) => {
      if (object.decodedObject() === undefined && stored?.serve(object, 'json') === true)
        return Uint8Array.prototype.slice.call(stored.json(object));
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = fromHub(target, object.object());
      return Buffer.from(stringifyEscaped(rest));
    },
  };
}

/** The protobuf message of the object, without envelope. */
export function protobufItem(target: VersionedResource): ItemRepresentation {
  const stored = StoredItems.of(target);
  return {
    key: `${target.groupVersion};protobuf`,
    cacheable: true,
    fromStored: stored && {
      serves: (object) => stored.serve(object, 'protobuf'),
      write: (object) => stored.protobuf(object),
      length: (object) => stored.protobufLength(object),
    },
    encode: (object) =>
      object.decodedObject() === undefined && stored?.serve(object, 'protobuf') === true
        ? Uint8Array.prototype.slice.call(stored.protobuf(object))
        : encodeMessage(target.message, fromHub(target, object.object())),
  };
}

export function bookmarkMetadata(revision: number, endOfInitialEvents: boolean): object {
  return {
    resourceVersion: String(revision),
    ...(endOfInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  };
}
