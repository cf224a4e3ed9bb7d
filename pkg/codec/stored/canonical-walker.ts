import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs/minimal.js';
import { formatDuration, parseDuration, parseRawJson, stringifyRawJson } from '../protobuf/json-values.ts';
import { readerOf } from '../protobuf/sharing-reader.ts';
import {
  readDuration,
  readInt64,
  readIntOrString,
  readMicroTime,
  readQuantity,
  readRaw,
  readTime,
  writeDuration,
  writeInt64,
  writeIntOrString,
  writeMicroTime,
  writeQuantity,
  writeRaw,
  writeTime,
  type Reader,
  type Writer,
} from '../protobuf/wire.ts';
import { NUMBERS, type FieldPlan, type MessagePlan } from './message-plan.ts';
import { keepsRule } from './settled-check.ts';

/** The message is not what the generated writer would make of it. */
const NOT_CANONICAL = new Error('the message is not canonical');

const DEPTH_MAX = 32;
const noBytes = Buffer.alloc(0);

/**
 * Goes through a stored message once, without making objects, and finds whether decoding it, setting defaults and
 * encoding it again would give the same bytes.
 */
export class CanonicalWalker {
  /** The content of `metadata`, and where in it the length of the empty resource version is. */
  metadataStart = 0;
  metadataEnd = 0;
  versionAt = 0;
  private buffer: Buffer = noBytes;
  private reader: Reader = readerOf(noBytes);
  private at = 0;
  private depth = 0;
  private checksRules = false;
  /** By depth and field number: one more than where its first value is; 0 where there is none. */
  private readonly seen = new Int32Array(DEPTH_MAX * NUMBERS);

  /** `rules`: whether defaults must find nothing to do. */
  isCanonical(buffer: Buffer, plan: MessagePlan, rules: boolean): boolean {
    this.buffer = buffer;
    this.reader = readerOf(buffer);
    this.at = 0;
    this.depth = 0;
    this.checksRules = rules;
    this.metadataStart = 0;
    this.versionAt = 0;
    try {
      this.members(plan, buffer.length);
      return true;
    } catch {
      // Whatever is wrong with the message, decoding it finds and words the fault.
      return false;
    } finally {
      this.buffer = noBytes;
    }
  }

  private members(plan: MessagePlan, end: number): void {
    if (plan.byNumber.length > NUMBERS || this.depth === DEPTH_MAX) throw NOT_CANONICAL;
    const base = this.depth++ * NUMBERS;
    const { seen } = this;
    // Not `fill`: for a few numbers its call takes longer than they do.
    for (let i = base + plan.byNumber.length - 1; i >= base; i--) seen[i] = 0;
    let last = 0;
    let alwaysWritten = 0;
    while (this.at < end) {
      const tag = this.varint();
      const number = tag >>> 3;
      const field = plan.byNumber[number];
      // In the order of their numbers; of lists and maps all values at once.
      if (field === undefined || (tag & 7) !== field.wireType || number <= last) throw NOT_CANONICAL;
      last = number;
      seen[base + number] = this.at + 1;
      if (field.alwaysWritten) alwaysWritten++;
      if (field.card === 'single') this.value(field, end);
      else this.values(field, end);
    }
    if (this.at !== end || alwaysWritten !== plan.alwaysWritten) throw NOT_CANONICAL;
    if (this.checksRules && plan.rule !== undefined && !keepsRule(plan.rule, this.buffer, seen, base, end))
      throw NOT_CANONICAL;
    this.depth--;
  }

  private values(field: FieldPlan, end: number): void {
    let previousStart = -1;
    let previousEnd = -1;
    do {
      if (field.card === 'list') {
        this.value(field, end);
        continue;
      }
      const entryEnd = this.endOfValue(end);
      if (this.varint() !== 10) throw NOT_CANONICAL;
      const keyEnd = this.endOfValue(entryEnd);
      const keyStart = this.at;
      // Maps are written in the order of their keys.
      if (previousStart >= 0 && !isAfter(this.buffer, keyStart, keyEnd, previousStart, previousEnd))
        throw NOT_CANONICAL;
      previousStart = keyStart;
      previousEnd = keyEnd;
      this.text(keyEnd);
      if (this.varint() !== (16 | field.valueWireType)) throw NOT_CANONICAL;
      this.value(field, entryEnd);
      if (this.at !== entryEnd) throw NOT_CANONICAL;
    } while (this.isNext(field, end));
  }

  /** Takes the tag of one more value of the field, if that is what comes. */
  private isNext(field: FieldPlan, end: number): boolean {
    if (this.at >= end) return false;
    const before = this.at;
    if (this.varint() === ((field.number << 3) | field.wireType)) return true;
    this.at = before;
    return false;
  }

  private value(field: FieldPlan, end: number): void {
    switch (field.kind) {
      case 'string':
        return this.string(field, end);
      case 'message':
        return this.message(field, end);
      case 'bool':
        if (this.at >= end || this.buffer[this.at++]! > 1) throw NOT_CANONICAL;
        return;
      case 'int32':
      case 'int64':
        return this.integer(field, end);
      case 'bytes': {
        const stop = this.endOfValue(end);
        // Empty ones are left out.
        if (stop === this.at) throw NOT_CANONICAL;
        this.at = stop;
        return;
      }
      default:
        return this.otherValue(field, end);
    }
  }

  private message(field: FieldPlan, end: number): void {
    const stop = this.endOfValue(end);
    if (this.depth === 1 && field.name === 'metadata') {
      this.metadataStart = this.at;
      this.metadataEnd = stop;
    }
    this.members(field.message!, stop);
  }

  private string(field: FieldPlan, end: number): void {
    const start = this.at;
    const stop = this.endOfValue(end);
    if (this.depth === 2 && field.name === 'resourceVersion' && this.metadataStart > 0 && start < this.metadataEnd) {
      // What is stored has no version of its own.
      if (stop !== start + 1) throw NOT_CANONICAL;
      this.versionAt = start;
    }
    this.text(stop);
  }

  /** What is no UTF-8 is read as other text. */
  private text(stop: number): void {
    const { buffer } = this;
    for (let i = this.at; i < stop; i++) {
      if (buffer[i]! < 0x80) continue;
      if (!isUtf8(buffer.subarray(this.at, stop))) throw NOT_CANONICAL;
      break;
    }
    this.at = stop;
  }

  private integer(field: FieldPlan, end: number): void {
    if (this.at < end && this.buffer[this.at]! < 0x80) {
      this.at++;
      return;
    }
    const { reader } = this;
    reader.pos = this.at;
    const w = protobuf.Writer.create();
    if (field.kind === 'int32') w.int32(reader.int32());
    else writeInt64(w, readInt64(reader));
    this.take(w, end);
  }

  /** Values whose JSON form is another one: written again and compared. */
  private otherValue(field: FieldPlan, end: number): void {
    this.reader.pos = this.at;
    const w = protobuf.Writer.create();
    rewrite(field, this.reader, w);
    this.take(w, end);
  }

  /** Goes behind the value that was read; the writer has it as it would be written. */
  private take(written: Writer, end: number): void {
    const stop = this.reader.pos;
    const bytes = written.finish();
    if (stop > end || bytes.length !== stop - this.at) throw NOT_CANONICAL;
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== this.buffer[this.at + i]) throw NOT_CANONICAL;
    this.at = stop;
  }

  /** A varint of at most 28 bits in its shortest form. */
  private varint(): number {
    const { buffer } = this;
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = buffer[this.at++];
      if (byte === undefined) throw NOT_CANONICAL;
      value |= (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (byte === 0 && shift > 0) throw NOT_CANONICAL;
      return value;
    }
    throw NOT_CANONICAL;
  }

  /** Where the length-delimited value at hand ends; goes to its begin. */
  private endOfValue(end: number): number {
    const length = this.varint();
    const stop = this.at + length;
    if (stop > end) throw NOT_CANONICAL;
    return stop;
  }
}

/** Reads a value as the generated reader does, and writes it as the generated writer does. */
function rewrite(field: FieldPlan, r: Reader, w: Writer): void {
  const given = <T>(value: T): T => {
    // Where a pointer is null nothing is written.
    if (value === null && !field.alwaysWritten) throw NOT_CANONICAL;
    return value;
  };
  switch (field.kind) {
    case 'time':
      return writeTime(w, given(readTime(r)));
    case 'microTime':
      return writeMicroTime(w, given(readMicroTime(r)));
    case 'quantity':
      return writeQuantity(w, readQuantity(r));
    case 'intOrString':
      return writeIntOrString(w, readIntOrString(r));
    case 'duration':
      return writeDuration(w, readDuration(r, formatDuration), parseDuration);
    case 'raw':
      return writeRaw(w, given(readRaw(r, parseRawJson)), stringifyRawJson);
    default:
      throw NOT_CANONICAL;
  }
}

/** Whether the first text comes after the second one in the order of their bytes. */
function isAfter(buffer: Buffer, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  const shorter = Math.min(end - start, otherEnd - otherStart);
  for (let i = 0; i < shorter; i++) {
    const difference = buffer[start + i]! - buffer[otherStart + i]!;
    if (difference !== 0) return difference > 0;
  }
  return end - start > otherEnd - otherStart;
}
