import protobuf from 'protobufjs/minimal.js';
import { readerOf } from './sharing-reader.ts';
import { endOf, type Writer } from './wire.ts';

/**
 * The protobuf envelope of `application/vnd.kubernetes.protobuf`: four magic bytes, then `Unknown{typeMeta, raw,
 * contentEncoding, contentType}`. Stored values and protobuf bodies both have it.
 */

/** The prefix 0x6b 0x38 0x73 0x00 as a little-endian number. */
const MAGIC = 0x0073386b;

export interface Envelope {
  apiVersion: string;
  kind: string;
  /** A view into the given bytes. */
  raw: Uint8Array;
  contentEncoding: string;
  contentType: string;
}

export function hasMagic(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0;
}

/** Wraps the output of `write`. */
export function encodeEnvelope(apiVersion: string, kind: string, write: (w: Writer) => void): Uint8Array {
  const w = protobuf.Writer.create();
  w.fixed32(MAGIC);
  w.uint32(10).fork().uint32(10).string(apiVersion).uint32(18).string(kind).ldelim();
  w.uint32(18).fork();
  write(w);
  w.ldelim();
  w.uint32(26).string('').uint32(34).string('');
  return w.finish();
}

/** Throws a RangeError or Error with a plain message when the bytes are not an envelope. */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (!hasMagic(bytes))
    throw new Error('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const r = readerOf(bytes);
  r.pos = 4;
  const envelope: Envelope = {
    apiVersion: '',
    kind: '',
    raw: bytes.subarray(0, 0),
    contentEncoding: '',
    contentType: '',
  };
  while (r.pos < r.len) {
    const tag = r.uint32();
    switch (tag) {
      case 10: {
        const end = endOf(r);
        while (r.pos < end) {
          const inner = r.uint32();
          if (inner === 10) envelope.apiVersion = r.string();
          else if (inner === 18) envelope.kind = r.string();
          else r.skipType(inner & 7);
        }
        break;
      }
      case 18: {
        const end = endOf(r);
        envelope.raw = bytes.subarray(r.pos, end);
        r.pos = end;
        break;
      }
      case 26:
        envelope.contentEncoding = r.string();
        break;
      case 34:
        envelope.contentType = r.string();
        break;
      default:
        r.skipType(tag & 7);
    }
  }
  return envelope;
}
