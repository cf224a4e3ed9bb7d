import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs/minimal.js';
import {
  formatDuration,
  parseDuration,
  parseRawJson,
  stringifyRawExtension,
  stringifyRawJson,
} from '../protobuf/json-values.ts';
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

/** The message is not what the generated writer would write. */
const NOT_CANONICAL = new Error('the message is not canonical');

const DEPTH_MAX = 32;
const noBytes = Buffer.alloc(0);
/** Tags of the fields of special values. */
const FIELD_1_VARINT = 8;
const FIELD_1_BYTES = 10;
const FIELD_2_VARINT = 16;
const FIELD_3_BYTES = 26;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Goes through a stored message once, without making objects, and finds whether decoding it, setting defaults and
 * encoding it again would give the same bytes. Lists of everything go through every object: what is usual is checked
 * byte by byte, what is not is read and written again.
 */
export class CanonicalWalker {
  /**
   * JSON of the object has members in another order than `JsonWriter` has them: JavaScript puts keys that are integers
   * first.
   */
  reordersJson = false;
  private buffer: Buffer = noBytes;
  private reader: Reader | undefined;
  private at = 0;
  private depth = 0;
  private checksRules = false;
  /** By depth and field number: one more than where its first value is; 0 where there is none. */
  private readonly seen = new Int32Array(DEPTH_MAX * NUMBERS);

  /** `rules`: whether defaults must find nothing to change. */
  isCanonical(buffer: Buffer, plan: MessagePlan, rules: boolean): boolean {
    this.buffer = buffer;
    this.reader = undefined;
    this.at = 0;
    this.depth = 0;
    this.checksRules = rules;
    this.reordersJson = false;
    try {
      this.members(plan, buffer.length);
      return true;
    } catch {
      // Decoding the message finds any fault and words the error.
      return false;
    } finally {
      this.buffer = noBytes;
      this.reader = undefined;
    }
  }

  private members(plan: MessagePlan, end: number): void {
    const { byNumber } = plan;
    const rule = this.checksRules ? plan.rule : undefined;
    const { seen, buffer } = this;
    const base = this.depth++ * NUMBERS;
    if (this.depth === DEPTH_MAX) throw NOT_CANONICAL;
    // Not `fill`: for a few numbers its call takes longer than they do.
    if (rule !== undefined) for (let i = base + byNumber.length - 1; i >= base; i--) seen[i] = 0;
    let last = 0;
    let alwaysWritten = 0;
    while (this.at < end) {
      const tag = buffer[this.at]! < 0x80 ? buffer[this.at++]! : this.varint();
      const number = tag >>> 3;
      // In the order of their numbers; of lists and maps all values at once.
      if (number >= byNumber.length || number <= last) throw NOT_CANONICAL;
      const field = byNumber[number];
      if (field === undefined || (tag & 7) !== field.wireType) throw NOT_CANONICAL;
      last = number;
      if (rule !== undefined) seen[base + number] = this.at + 1;
      if (field.alwaysWritten) alwaysWritten++;
      if (field.card === 'single') this.value(field, end);
      else if (field.card === 'list') this.list(field, tag, end);
      else this.map(field, tag, end);
    }
    if (this.at !== end || alwaysWritten !== plan.alwaysWritten) throw NOT_CANONICAL;
    if (rule !== undefined && !keepsRule(rule, buffer, seen, base, end)) throw NOT_CANONICAL;
    this.depth--;
  }

  private list(field: FieldPlan, tag: number, end: number): void {
    do this.value(field, end);
    while (this.isNext(tag, end));
  }

  private map(field: FieldPlan, tag: number, end: number): void {
    const { buffer } = this;
    const valueTag = 16 | field.valueWireType;
    let previousStart = -1;
    let previousEnd = -1;
    do {
      const entryEnd = this.endOfValue(end);
      if (buffer[this.at++] !== FIELD_1_BYTES) throw NOT_CANONICAL;
      const keyEnd = this.endOfValue(entryEnd);
      const keyStart = this.at;
      // Maps are written in the order of their keys.
      if (previousStart >= 0 && !isAfter(buffer, keyStart, keyEnd, previousStart, previousEnd)) throw NOT_CANONICAL;
      previousStart = keyStart;
      previousEnd = keyEnd;
      if (isInteger(buffer, keyStart, keyEnd)) this.reordersJson = true;
      this.text(keyEnd);
      if (buffer[this.at++] !== valueTag) throw NOT_CANONICAL;
      this.value(field, entryEnd);
      if (this.at !== entryEnd) throw NOT_CANONICAL;
    } while (this.isNext(tag, end));
  }

  /** Takes the tag of one more value of the field, if it comes next. */
  private isNext(tag: number, end: number): boolean {
    const before = this.at;
    if (before >= end) return false;
    const next = this.buffer[before]! < 0x80 ? this.buffer[this.at++]! : this.varint();
    if (next === tag) return true;
    this.at = before;
    return false;
  }

  private value(field: FieldPlan, end: number): void {
    switch (field.kind) {
      case 'string':
        return this.text(this.endOfValue(end));
      case 'message':
        if (field.isInline && field.message!.addsMembersUnread) this.reordersJson = true;
        return this.members(field.message!, this.endOfValue(end));
      case 'quantity':
        return this.quantity(end);
      case 'bool':
        if (this.at >= end || this.buffer[this.at++]! > 1) throw NOT_CANONICAL;
        return;
      case 'int32':
      case 'int64':
        return this.integer(field, end);
      case 'time':
        if (!this.isPlainTime(end)) this.otherValue(field, end);
        return;
      case 'intOrString':
        if (!this.isPlainIntOrString(end)) this.otherValue(field, end);
        return;
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

  /** Invalid UTF-8 is read as other text. */
  private text(stop: number): void {
    const { buffer } = this;
    let i = this.at;
    while (i < stop && buffer[i]! < 0x80) i++;
    if (i < stop && !isUtf8(buffer.subarray(this.at, stop))) throw NOT_CANONICAL;
    this.at = stop;
  }

  /** Whatever its text is, it is kept. */
  private quantity(end: number): void {
    const stop = this.endOfValue(end);
    if (this.buffer[this.at++] !== FIELD_1_BYTES || this.endOfValue(stop) !== stop) throw NOT_CANONICAL;
    this.text(stop);
  }

  private integer(field: FieldPlan, end: number): void {
    const stop = this.endOfSmall(this.at);
    if (stop > 0) {
      this.at = stop;
      return;
    }
    const reader = this.readerHere();
    const w = protobuf.Writer.create();
    if (field.kind === 'int32') w.int32(reader.int32());
    else writeInt64(w, readInt64(reader));
    this.take(w, end);
  }

  /** Where a varint of at most 28 bits in its shortest form ends; 0 where it is another. */
  private endOfSmall(start: number): number {
    const { buffer } = this;
    let at = start;
    while (buffer[at]! >= 0x80 && at < start + 3) at++;
    const last = buffer[at]!;
    return last < 0x80 && (last > 0 || at === start) ? at + 1 : 0;
  }

  /** A time in whole seconds from 1970 on to the year 3058; leaves others as they are. */
  private isPlainTime(end: number): boolean {
    const { buffer, at } = this;
    const stop = at + 1 + buffer[at]!;
    if (stop > end || stop > at + 10 || buffer[at + 1] !== FIELD_1_VARINT) return false;
    let last = at + 2;
    while (buffer[last]! >= 0x80 && last < at + 6) last++;
    const isShortest = buffer[last]! < 0x80 && (buffer[last]! > 0 || last === at + 2);
    if (!isShortest || buffer[last + 1] !== FIELD_2_VARINT || buffer[last + 2] !== 0 || last + 3 !== stop) return false;
    this.at = stop;
    return true;
  }

  /** A small number or a text; leaves others as they are. */
  private isPlainIntOrString(end: number): boolean {
    const { buffer, at } = this;
    const stop = at + 1 + buffer[at]!;
    const type = buffer[at + 2]!;
    if (stop > end || buffer[at]! >= 0x80 || type > 1) return false;
    if (buffer[at + 1] !== FIELD_1_VARINT || buffer[at + 3] !== FIELD_2_VARINT) return false;
    const intEnd = this.endOfSmall(at + 4);
    if (intEnd === 0 || buffer[intEnd] !== FIELD_3_BYTES || intEnd + 2 + buffer[intEnd + 1]! !== stop) return false;
    if (type === 0 ? buffer[intEnd + 1] !== 0 : buffer[at + 4] !== 0) return false;
    this.at = intEnd + 2;
    this.text(stop);
    return true;
  }

  /** Values whose JSON form differs: written again and compared. */
  private otherValue(field: FieldPlan, end: number): void {
    const w = protobuf.Writer.create();
    rewrite(field, this.readerHere(), w);
    this.take(w, end);
  }

  private readerHere(): Reader {
    const reader = (this.reader ??= readerOf(this.buffer));
    reader.pos = this.at;
    return reader;
  }

  /** Moves behind the value that was read; the writer has it in the form that it would write. */
  private take(written: Writer, end: number): void {
    const stop = this.reader!.pos;
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

  /** Where the current length-delimited value ends; moves to its begin. */
  private endOfValue(end: number): number {
    const length = this.buffer[this.at]! < 0x80 ? this.buffer[this.at++]! : this.varint();
    const stop = this.at + length;
    if (stop > end) throw NOT_CANONICAL;
    return stop;
  }
}

/** Reads a value as the generated reader does, and writes it as the generated writer does. */
function rewrite(field: FieldPlan, r: Reader, w: Writer): void {
  switch (field.kind) {
    case 'time':
      return writeTime(w, given(field, readTime(r)));
    case 'microTime':
      return writeMicroTime(w, given(field, readMicroTime(r)));
    case 'quantity':
      return writeQuantity(w, readQuantity(r));
    case 'intOrString':
      return writeIntOrString(w, readIntOrString(r));
    case 'duration':
      return writeDuration(w, readDuration(r, formatDuration), parseDuration);
    case 'raw':
      return writeRaw(
        w,
        given(field, readRaw(r, parseRawJson)),
        field.isRawExtension ? stringifyRawExtension : stringifyRawJson,
      );
    default:
      throw NOT_CANONICAL;
  }
}

/** Where a pointer is null nothing is written. */
function given<T>(field: FieldPlan, value: T): T {
  if (value === null && !field.alwaysWritten) throw NOT_CANONICAL;
  return value;
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

/** Digits alone: more than JavaScript takes for an integer, which does no harm. */
function isInteger(buffer: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (buffer[i]! < ZERO || buffer[i]! > NINE) return false;
  return end > start;
}
