/**
 * The messages of etcd's KV service as bytes (etcd API reference, v3.4: rpc.proto and kv.proto), as far as the
 * transport needs them. Numbers of 64 bits are read as doubles: revisions stay far below 2^53.
 */
import protobuf from 'protobufjs/minimal.js';
import type { AnswerHeader, EtcdKeyValue, RangeAnswer, RangeCall, SwapAnswer, SwapCall } from './transport.ts';

const { Reader, Writer } = protobuf;
type Reader = protobuf.Reader;
type Writer = protobuf.Writer;

export const wireVarint = 0;
export const wireBytes = 2;
export const tag = (field: number, wire: number) => (field << 3) | wire;

export function encodeRange(call: RangeCall): Uint8Array {
  return writeRange(Writer.create(), call).finish();
}

function writeRange(writer: Writer, call: RangeCall): Writer {
  writer.uint32(tag(1, wireBytes)).bytes(call.key);
  if (call.end !== undefined) writer.uint32(tag(2, wireBytes)).bytes(call.end);
  if (call.limit) writer.uint32(tag(3, wireVarint)).int64(call.limit);
  if (call.revision) writer.uint32(tag(4, wireVarint)).int64(call.revision);
  if (call.countOnly) writer.uint32(tag(9, wireVarint)).bool(true);
  return writer;
}

/** A TxnRequest: one Compare, the write in `success`, and in `failure` a range that reads the current value. */
export function encodeSwap(call: SwapCall): Uint8Array {
  const writer = Writer.create();
  writeCompare(writer.uint32(tag(1, wireBytes)).fork(), call).ldelim();
  const success = writer.uint32(tag(2, wireBytes)).fork();
  if (call.value === undefined)
    success.uint32(tag(3, wireBytes)).fork().uint32(tag(1, wireBytes)).bytes(call.key).ldelim();
  else {
    success.uint32(tag(2, wireBytes)).fork();
    success.uint32(tag(1, wireBytes)).bytes(call.key).uint32(tag(2, wireBytes)).bytes(call.value);
    if (call.lease !== undefined) success.uint32(tag(3, wireVarint)).int64(call.lease as unknown as number);
    success.ldelim();
  }
  success.ldelim();
  const failure = writer.uint32(tag(3, wireBytes)).fork();
  writeRange(failure.uint32(tag(1, wireBytes)).fork(), { key: call.key }).ldelim();
  return failure.ldelim().finish();
}

function writeCompare(writer: Writer, { compare, key }: SwapCall): Writer {
  const isVersion = compare.target === 'version';
  // Field 1, the comparison, is EQUAL: its zero value.
  writer.uint32(tag(2, wireVarint)).uint32(isVersion ? 0 : 2);
  writer.uint32(tag(3, wireBytes)).bytes(key);
  // The member of the oneof is written even when it is 0: without one etcd refuses the comparison.
  return writer.uint32(tag(isVersion ? 4 : 6, wireVarint)).int64(compare.value);
}

export function decodeRangeAnswer(bytes: Uint8Array): RangeAnswer {
  const reader = Reader.create(bytes);
  const answer = readRangeAnswer(reader, reader.len);
  checkHeader(answer);
  return answer;
}

function readRangeAnswer(reader: Reader, end: number): RangeAnswer {
  let header: AnswerHeader = { revision: 0, clusterId: 0 };
  const items: EtcdKeyValue[] = [];
  let more = false;
  let count = 0;
  while (reader.pos < end) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        header = readHeader(reader, endOf(reader));
        break;
      case 2:
        items.push(readKeyValue(reader, endOf(reader)));
        break;
      case 3:
        more = reader.bool();
        break;
      case 4:
        count = readNumber(reader);
        break;
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  checkEnd(reader, end);
  return { ...header, items, more, count };
}

export function decodeSwapAnswer(bytes: Uint8Array): SwapAnswer {
  const reader = Reader.create(bytes);
  let header: AnswerHeader = { revision: 0, clusterId: 0 };
  let succeeded = false;
  let current: EtcdKeyValue | undefined;
  let responses = 0;
  while (reader.pos < reader.len) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        header = readHeader(reader, endOf(reader));
        break;
      case 2:
        succeeded = reader.bool();
        break;
      case 3:
        responses++;
        current = readResponseOp(reader, endOf(reader));
        break;
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  checkEnd(reader, reader.len);
  checkHeader(header);
  if (responses !== 1) throw new RangeError(`an answer to a transaction of one operation with ${responses}`);
  return { ...header, succeeded, current };
}

/** Size of the database file of the member that sent this StatusResponse. */
export function decodeDatabaseBytes(bytes: Uint8Array): number {
  const reader = Reader.create(bytes);
  let size = 0;
  while (reader.pos < reader.len) {
    const fieldTag = reader.uint32();
    if (fieldTag >>> 3 === 3) size = readNumber(reader);
    else reader.skipType(fieldTag & 7);
  }
  return size;
}

/** The first item of a ResponseOp that holds a range; undefined for puts and deletes. */
function readResponseOp(reader: Reader, end: number): EtcdKeyValue | undefined {
  let item: EtcdKeyValue | undefined;
  while (reader.pos < end) {
    const fieldTag = reader.uint32();
    if (fieldTag >>> 3 === 1) item = readRangeAnswer(reader, endOf(reader)).items[0];
    else reader.skipType(fieldTag & 7);
  }
  checkEnd(reader, end);
  return item;
}

export function readHeader(reader: Reader, end: number): AnswerHeader {
  let revision = 0;
  let clusterId = 0;
  while (reader.pos < end) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        clusterId = readNumber(reader);
        break;
      case 3:
        revision = readNumber(reader);
        break;
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  checkEnd(reader, end);
  return { revision, clusterId };
}

function readKeyValue(reader: Reader, end: number): EtcdKeyValue {
  let key: Buffer = emptyBuffer;
  let value: Buffer = emptyBuffer;
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  while (reader.pos < end) {
    const fieldTag = reader.uint32();
    switch (fieldTag >>> 3) {
      case 1:
        key = readBytes(reader);
        break;
      case 2:
        createRevision = readNumber(reader);
        break;
      case 3:
        modRevision = readNumber(reader);
        break;
      case 4:
        version = readNumber(reader);
        break;
      case 5:
        value = readBytes(reader);
        break;
      default:
        reader.skipType(fieldTag & 7);
    }
  }
  checkEnd(reader, end);
  return { key, value, createRevision, modRevision, version };
}

const emptyBuffer = Buffer.alloc(0);

/** A copy in separate memory: the reader returns a view into the whole answer and would keep it alive. */
export function copyBytes(view: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(view.length);
  copy.set(view);
  return copy;
}

/** Bytes in separate memory. */
export function readBytes(reader: Reader): Buffer {
  return copyBytes(reader.bytes());
}

/** A part that ends elsewhere than its length says is not from etcd. */
export function checkEnd(reader: Reader, end: number): void {
  if (reader.pos !== end) throw new RangeError('a part of an answer exceeds the message or its own length');
}

/** Every answer of etcd has its revision, which is never 0. */
function checkHeader(header: AnswerHeader): void {
  if (header.revision <= 0) throw new RangeError('an answer without a revision');
}

/** Reads a length and returns the position where what follows ends. */
export function endOf(reader: Reader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

/** A varint that is not negative. The reader's own int64 makes an object per number. */
export function readNumber(reader: Reader): number {
  let value = 0;
  for (let factor = 1; factor <= 128 ** 9; factor *= 128) {
    const byte = reader.buf[reader.pos++];
    if (byte === undefined) throw new RangeError('an answer ends inside a number');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw new RangeError('an answer holds a number that exceeds the message');
}
