import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { messageOfKind } from '../../codec/messages.ts';
import { decodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { SharedMessages } from '../../codec/protobuf/shared-messages.ts';
import { readerOf } from '../../codec/protobuf/sharing-reader.ts';
import { endOf } from '../../codec/protobuf/wire.ts';
import type { GeneratedMessage } from '../../generated/kinds.ts';
import { type BodyCodec, type DecodedEvent, type DecodedList, withType } from './body-codec.ts';
import { LengthSplitter } from './watch-frames.ts';

type Typed = Pick<ApiObject, 'apiVersion' | 'kind'>;

/** For the kinds whose messages are known; custom resources travel as JSON. */
export const protobufCodec: BodyCodec = {
  contentType: 'application/vnd.kubernetes.protobuf',
  encode(object) {
    const { apiVersion = '', kind = '' } = object as Typed;
    return encodeProtobuf(messageFor(apiVersion, kind), apiVersion, kind, object);
  },
  decode: (body) => decodeObject(body),
  decodeList<T extends ApiObject>(body: Buffer, resource: Resource<T>): DecodedList<T> {
    const list = decodeObject<{ metadata: DecodedList<T>['metadata']; items: T[] | null }>(body, sharedMessages());
    const { metadata, items } = list;
    const objects = items ?? [];
    withType(objects, resource);
    return { metadata, items: objects };
  },
  frames: (frameBytesMax) => new LengthSplitter(frameBytesMax),
  decodeEvent,
};

/** Whether bodies of this type may be sent and asked for as protobuf. */
export function hasProtobufForm(apiVersion: string, kind: string): boolean {
  return messageOfKind(apiVersion, kind)?.write !== undefined;
}

function messageFor(apiVersion: string, kind: string): GeneratedMessage {
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) throw new Error(`the protobuf message of ${apiVersion} ${kind} is not known`);
  return message;
}

/**
 * Lists and watches bring what stays in memory.
 *
 * Process-wide: what is equal depends on bytes alone, and all informers of a process have parts in common.
 */
let shared: SharedMessages | undefined;

function sharedMessages(): SharedMessages {
  shared ??= new SharedMessages();
  return shared;
}

function decodeObject<T>(body: Uint8Array, messages?: SharedMessages): T {
  const { apiVersion, kind, raw } = decodeEnvelope(body);
  return decodeProtobuf<T>(messageFor(apiVersion, kind), raw, apiVersion, kind, messages);
}

/** `WatchEvent{type = 1, object = 2}` without an envelope; `object` is a `RawExtension{raw = 1}` that holds one. */
function decodeEvent(frame: Buffer): DecodedEvent {
  const r = readerOf(frame);
  let type = '';
  let object: ApiObject | undefined;
  while (r.pos < r.len) {
    const tag = r.uint32();
    if (tag === 10) type = r.string();
    else if (tag === 18) {
      const end = endOf(r);
      while (r.pos < end) {
        const inner = r.uint32();
        if (inner === 10) {
          const rawEnd = endOf(r);
          object = decodeObject<ApiObject>(frame.subarray(r.pos, rawEnd), sharedMessages());
          r.pos = rawEnd;
        } else r.skipType(inner & 7);
      }
    } else r.skipType(tag & 7);
  }
  if (object === undefined) throw new Error('a watch event without an object');
  return { type, object };
}
