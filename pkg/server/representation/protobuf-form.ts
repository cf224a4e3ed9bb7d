import protobuf from 'protobufjs/minimal.js';
import { normalize } from '../../codec/normalize.ts';
import { messageOf } from '../../codec/messages.ts';
import { encodeMessage, encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';
import {
  bookmarkMetadata,
  noBytes,
  utf8,
  type FormTarget,
  type ItemRepresentation,
  type ListFraming,
  type ListMeta,
  type ObjectForm,
} from './object-form.ts';

/** Empty contentEncoding and contentType close every envelope. */
const envelopeTail = Uint8Array.of(0x1a, 0x00, 0x22, 0x00);
const listMetaMessage = messageOf('meta/v1.ListMeta');
const statusMessage = messageOf('meta/v1.Status');

/** Protobuf envelopes, put together from cached message bytes. */
export class ProtobufForm implements ObjectForm {
  readonly contentType = 'application/vnd.kubernetes.protobuf';
  readonly watchContentType = 'application/vnd.kubernetes.protobuf;stream=watch';
  readonly item: ItemRepresentation;
  private readonly target: FormTarget;
  private readonly typeMeta: Uint8Array;
  private readonly listTypeMeta: Uint8Array;

  constructor(target: FormTarget, item: ItemRepresentation) {
    this.target = target;
    this.item = item;
    this.typeMeta = envelopeHead(target.groupVersion, target.kind);
    this.listTypeMeta = envelopeHead(target.groupVersion, `${target.kind}List`);
  }

  single(object: CachedObject): Uint8Array[] {
    const bytes = object.bytes(this.item);
    return [this.typeMeta, field(2, bytes.length), bytes, envelopeTail];
  }

  list(meta: ListMeta): ListFraming {
    const metadata = encodeMessage(listMetaMessage, meta);
    const metadataField = Buffer.concat([field(1, metadata.length), metadata]);
    return {
      head: (itemsBytes) =>
        Buffer.concat([this.listTypeMeta, field(2, metadataField.length + itemsBytes), metadataField]),
      separator: noBytes,
      itemPrefix: (itemBytes) => field(2, itemBytes),
      tail: envelopeTail,
    };
  }

  frame(type: WatchEventType, object: CachedObject): Uint8Array {
    return watchFrame(type, Buffer.concat(this.single(object)));
  }

  bookmark(revision: number, endOfInitialEvents: boolean): Uint8Array {
    const object = normalize<object>({ metadata: bookmarkMetadata(revision, endOfInitialEvents) }, this.target.schema);
    return watchFrame(
      'BOOKMARK',
      encodeProtobuf(this.target.message, this.target.groupVersion, this.target.kind, object),
    );
  }

  errorFrame(status: object): Uint8Array {
    return watchFrame('ERROR', encodeProtobuf(statusMessage, 'v1', 'Status', status));
  }
}

/** Magic and type of an envelope. */
function envelopeHead(apiVersion: string, kind: string): Uint8Array {
  const w = protobuf.Writer.create();
  w.fixed32(0x0073386b);
  w.uint32(10).fork().uint32(10).string(apiVersion).uint32(18).string(kind).ldelim();
  return w.finish();
}

/**
 * Tag and length of a length-delimited field below 16. Each item of a list has one; a writer would cost more than it.
 */
function field(number: number, bytes: number): Uint8Array {
  let rest = bytes;
  let length = 2;
  for (let more = bytes >>> 7; more > 0; more >>>= 7) length++;
  const out = new Uint8Array(length);
  out[0] = (number << 3) | 2;
  for (let i = 1; i < length; i++) {
    out[i] = (rest & 0x7f) | (i < length - 1 ? 0x80 : 0);
    rest >>>= 7;
  }
  return out;
}

/** A WatchEvent behind its length: four bytes, big-endian. */
function watchFrame(type: string, object: Uint8Array): Uint8Array {
  const event = Buffer.concat([
    field(1, type.length),
    utf8(type),
    field(2, field(1, object.length).length + object.length),
    field(1, object.length),
    object,
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
