/** The messages of etcd's Watch service as bytes (etcd API reference, v3.4: rpc.proto and kv.proto). */
import protobuf from 'protobufjs/minimal.js';
import type { StoreEvent } from '../store.ts';
import { checkEnd, endOf, readBytes, readHeader, readNumber, tag, wireBytes, wireVarint } from './messages.ts';
import type { WatchAnswer } from './watch-answers.ts';
import type { WatchRange } from './watch-connection.ts';

const { Reader, Writer } = protobuf;
type Reader = protobuf.Reader;

/** A WatchRequest that creates a watch, with previous values, progress when idle, and large answers in fragments. */
export function encodeWatch(range: WatchRange): Uint8Array {
  const writer = Writer.create();
  const create = writer.uint32(tag(1, wireBytes)).fork();
  create.uint32(tag(1, wireBytes)).bytes(range.key).uint32(tag(2, wireBytes)).bytes(range.end);
  create.uint32(tag(3, wireVarint)).int64(range.startRevision);
  for (const option of [4, 6, 8]) create.uint32(tag(option, wireVarint)).bool(true);
  return create.ldelim().finish();
}

/** Keys lose their first `prefixBytes`; values are copied. */
export function decodeWatchAnswer(bytes: Uint8Array, prefixBytes: number): WatchAnswer {
  const reader = Reader.create(bytes);
  let header = { revision: 0, clusterId: 0 };
  let isCreated = false;
  let isCanceled = false;
  let compactRevision = 0;
  let cancelReason = '';
  let isFragment = false;
  const events: StoreEvent[] = [];
  while (reader.pos < reader.len) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        header = readHeader(reader, endOf(reader));
        break;
      case 3:
        isCreated = reader.bool();
        break;
      case 4:
        isCanceled = reader.bool();
        break;
      case 5:
        compactRevision = readNumber(reader);
        break;
      case 6:
        cancelReason = reader.string();
        break;
      case 7:
        isFragment = reader.bool();
        break;
      case 11:
        events.push(readEvent(reader, endOf(reader), prefixBytes));
        break;
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  return {
    revision: header.revision,
    clusterId: header.clusterId,
    isCreated,
    isCanceled,
    compactRevision,
    cancelReason,
    isFragment,
    events,
  };
}

function readEvent(reader: Reader, end: number, prefixBytes: number): StoreEvent {
  let isDelete = false;
  let now = absent;
  let previous: StoreEvent['previous'];
  while (reader.pos < end) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        isDelete = reader.uint32() === 1;
        break;
      case 2:
        now = readWatchedKey(reader, endOf(reader), prefixBytes);
        break;
      case 3: {
        // etcd has no previous value for a created key, or when compaction removed it.
        const { value, revision } = readWatchedKey(reader, endOf(reader), noKey);
        previous = { value, modRevision: revision };
        break;
      }
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  checkEnd(reader, end);
  const { key, revision, value, createRevision } = now;
  if (isDelete)
    return previous === undefined ? { type: 'delete', key, revision } : { type: 'delete', key, revision, previous };
  return previous === undefined
    ? { type: 'put', key, revision, value, createRevision }
    : { type: 'put', key, revision, value, createRevision, previous };
}

interface WatchedKey {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  readonly createRevision: number;
}

const noValue = Buffer.alloc(0);
const absent: WatchedKey = { key: '', value: noValue, revision: 0, createRevision: 0 };
/** In place of a prefix: the key is known already. */
const noKey = -1;

function readWatchedKey(reader: Reader, end: number, prefixBytes: number): WatchedKey {
  let key = '';
  let value: Buffer = noValue;
  let createRevision = 0;
  let revision = 0;
  while (reader.pos < end) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        if (prefixBytes === noKey) reader.skipType(wireBytes);
        else key = readKey(reader, prefixBytes);
        break;
      case 2:
        createRevision = readNumber(reader);
        break;
      case 3:
        revision = readNumber(reader);
        break;
      case 5:
        value = readBytes(reader);
        break;
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  checkEnd(reader, end);
  return { key, value, revision, createRevision };
}

function readKey(reader: Reader, prefixBytes: number): string {
  const bytes = reader.bytes() as Buffer;
  return bytes.toString('utf8', prefixBytes);
}
