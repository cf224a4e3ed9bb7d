import protobuf from 'protobufjs/minimal.js';
import type { GeneratedMessage } from '../../generated/kinds.ts';
import { encodeEnvelope } from './envelope.ts';
import { readerOf } from './sharing-reader.ts';
import type { MessageCache } from './wire.ts';

/** Encodes an object of its JSON shape into an envelope; `message` must have a protobuf form. */
export function encodeProtobuf(
  message: GeneratedMessage,
  apiVersion: string,
  kind: string,
  object: object,
): Uint8Array {
  const write = message.write;
  if (write === undefined) throw new Error(`${message.message} has no protobuf form`);
  return encodeEnvelope(apiVersion, kind, (w) => write(object, w));
}

/** The message alone, without envelope. */
export function encodeMessage(message: GeneratedMessage, object: object): Uint8Array {
  const w = protobuf.Writer.create();
  message.write!(object, w);
  return w.finish();
}

/**
 * Decodes `raw` of an envelope into the JSON shape, `kind` and `apiVersion` first. With `messages` equal parts of what
 * is decoded are one frozen object.
 */
export function decodeProtobuf<T>(
  message: GeneratedMessage,
  raw: Uint8Array,
  apiVersion?: string,
  kind?: string,
  messages?: MessageCache,
): T {
  if (message.read === undefined) throw new Error(`${message.message} has no protobuf form`);
  const r = readerOf(raw, messages);
  const target = kind === undefined ? {} : { kind, apiVersion };
  return message.read(r, r.len, target) as T;
}
