import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { formatDuration } from '../protobuf/json-values.ts';
import { readerOf } from '../protobuf/sharing-reader.ts';
import { readDuration, readInt64, readIntOrString, readMicroTime, readTime, type Reader } from '../protobuf/wire.ts';
import { escapes, hasEscape, hasMarkup, HEX, LETTER_U, PERHAPS, SEPARATOR_LEAD } from './json-escapes.ts';
import { WORD_BYTES, type JsonKey } from './json-key.ts';
import type { FieldPlan, MessagePlan } from './message-plan.ts';

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const ZERO = 0x30;

const FIRST_BYTES = 64 * 1024;
/** Memory for larger objects is not kept for the next one. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** A byte of text takes six in JSON at most, `\u0001`; what is not text takes less than this. */
const ESCAPED_BYTES_MAX = 6;
const VALUE_BYTES_MAX = 64;
/** Longer texts are copied by the runtime, whose call takes as long as so many bytes. */
const LONG_BYTES = 64;

// Process-wide: empty, and never written to.
const noView = new DataView(new ArrayBuffer(0));

const word = (text: string): Uint8Array => Buffer.from(text);
const TRUE = word('true');
const FALSE = word('false');
const NULL = word('null');
const RESOURCE_VERSION = word(',"resourceVersion":"');

/**
 * Writes JSON from a stored message that `CanonicalWalker` has found canonical, without making objects: the bytes that
 * decoding the message and `stringifyEscaped` would give. Members come in the order in which the generated reader sets
 * them.
 */
export class JsonWriter {
  private buffer: Buffer = Buffer.alloc(0);
  /** The same memory. */
  private source = noView;
  private reader: Reader | undefined;
  private at = 0;
  private out: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** The same memory. */
  private view: DataView = new DataView(this.out.buffer);
  private length = 0;
  /** The digits of `metadata.resourceVersion`, which is no part of what is stored. */
  private version = '';
  private depth = 0;

  /** The JSON of an object, without `kind` and `apiVersion`; valid until the next call. */
  write(buffer: Buffer, plan: MessagePlan, revision: number): Uint8Array {
    if (this.out.length > KEPT_BYTES_MAX) this.writeTo(Buffer.allocUnsafeSlow(FIRST_BYTES));
    this.buffer = buffer;
    this.source = new DataView(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.length);
    this.reader = undefined;
    this.at = 0;
    this.length = 0;
    this.depth = 0;
    this.version = String(revision);
    this.object(plan, buffer.length);
    // What was read may be given up.
    this.buffer = this.out;
    this.source = noView;
    this.reader = undefined;
    return this.out.subarray(0, this.length);
  }

  /** The writer has room for so many bytes more. */
  private reserve(bytes: number): void {
    if (this.length + bytes <= this.out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.out.length * 2, this.length + bytes));
    this.out.copy(larger, 0, 0, this.length);
    this.writeTo(larger);
  }

  private writeTo(out: Buffer): void {
    this.out = out;
    this.view = new DataView(out.buffer);
  }

  private object(plan: MessagePlan, end: number): void {
    const start = this.length;
    this.depth++;
    this.members(plan, end);
    this.depth--;
    this.close(start, OPENING_BRACE, CLOSING_BRACE);
  }

  /** Each member or item was written behind a comma: the bracket takes the place of the first one. */
  private close(start: number, opening: number, closing: number): void {
    this.reserve(2);
    if (this.length === start) this.length++;
    this.out[start] = opening;
    this.out[this.length++] = closing;
  }

  /** Members of one message; those of inline messages are the message's own. */
  private members(plan: MessagePlan, end: number): void {
    const { byNumber, jsonFirst } = plan;
    const isReordered = jsonFirst.length > 0;
    if (isReordered) this.membersOutOfOrder(jsonFirst, end);
    const { buffer } = this;
    let { at } = this;
    while (at < end) {
      let tag = buffer[at++]!;
      if (tag >= 0x80) {
        this.at = at - 1;
        tag = this.varint();
        at = this.at;
      }
      const field = byNumber[tag >>> 3]!;
      // An empty string, an empty time, false, 0: many of what is written have no member.
      if (field.omitsZero && buffer[at] === 0) {
        at++;
        continue;
      }
      this.at = at;
      if (isReordered && field.alwaysInJson) this.skip(field, tag, end);
      else this.member(field, tag, end);
      at = this.at;
    }
    this.at = at;
  }

  /** Those that come first, wherever they are on the wire; leaves the reader where it is. */
  private membersOutOfOrder(fields: readonly FieldPlan[], end: number): void {
    const start = this.at;
    for (const field of fields) {
      // Messages with such members have few: going through them again is cheaper than remembering where each is.
      this.at = start;
      const tag = this.find(field, end);
      if (tag > 0) this.member(field, tag, end);
      else {
        this.key(field.jsonKey);
        this.bytes(NULL);
      }
    }
    this.at = start;
  }

  /** Goes behind the tag of the field's first value and returns the tag; 0 where there is none. */
  private find(field: FieldPlan, end: number): number {
    while (this.at < end) {
      const tag = this.varint();
      if (tag >>> 3 === field.number) return tag;
      if (tag >>> 3 > field.number) return 0;
      this.skipValue(tag & 7);
    }
    return 0;
  }

  private skip(field: FieldPlan, tag: number, end: number): void {
    do this.skipValue(field.wireType);
    while (field.card !== 'single' && this.isNext(tag, end));
  }

  private skipValue(wireType: number): void {
    if (wireType === 2) this.at = this.endOfValue();
    else if (wireType === 0) while (this.buffer[this.at++]! >= 0x80);
    else this.at += 8;
  }

  private member(field: FieldPlan, tag: number, end: number): void {
    if (field.isInline) {
      this.members(field.message!, this.endOfValue());
      return;
    }
    this.key(field.jsonKey);
    if (field.card === 'single') {
      this.value(field);
      return;
    }
    const start = this.length;
    if (field.card === 'list') {
      do {
        this.comma();
        this.value(field);
      } while (this.isNext(tag, end));
      this.close(start, OPENING_BRACKET, CLOSING_BRACKET);
      return;
    }
    do {
      this.endOfValue();
      // Keys and values are always there, one after another.
      this.at++;
      this.comma();
      this.text(this.endOfValue());
      this.reserve(1);
      this.out[this.length++] = 0x3a;
      this.at++;
      this.value(field);
    } while (this.isNext(tag, end));
    this.close(start, OPENING_BRACE, CLOSING_BRACE);
  }

  /** Eight bytes at a time: keys are half of all that is written. What is written too much is written over. */
  private key({ words, length }: JsonKey): void {
    this.reserve(words.length * WORD_BYTES);
    const { view } = this;
    let at = this.length;
    for (let i = 0; i < words.length; i++) {
      view.setFloat64(at, words[i]!, true);
      at += WORD_BYTES;
    }
    this.length += length;
  }

  private comma(): void {
    this.reserve(1);
    this.out[this.length++] = COMMA;
  }

  private isNext(tag: number, end: number): boolean {
    const before = this.at;
    if (before >= end) return false;
    if (this.varint() === tag) return true;
    this.at = before;
    return false;
  }

  private value(field: FieldPlan): void {
    switch (field.kind) {
      case 'string':
        return this.text(this.endOfValue());
      case 'message': {
        const end = this.endOfValue();
        if (this.depth === 1 && field.name === 'metadata') this.metadata(field.message!, end);
        else this.object(field.message!, end);
        return;
      }
      case 'quantity':
      case 'raw':
        return this.onlyString(field.kind === 'raw');
      case 'bool':
        return this.bytes(this.buffer[this.at++] === 1 ? TRUE : FALSE);
      case 'int32':
      case 'int64':
        return this.integer(field.kind);
      case 'bytes': {
        const end = this.endOfValue();
        this.quoted(this.buffer.toString('base64', this.at, end));
        this.at = end;
        return;
      }
      default:
        return this.otherValue(field);
    }
  }

  /** `resourceVersion` comes last: it is set when the rest has been read. */
  private metadata(plan: MessagePlan, end: number): void {
    const start = this.length;
    this.members(plan, end);
    this.bytes(RESOURCE_VERSION);
    this.ascii(this.version);
    this.reserve(1);
    this.out[this.length++] = QUOTE;
    this.close(start, OPENING_BRACE, CLOSING_BRACE);
  }

  /** The string in field 1: the text of a quantity, or JSON as it is. */
  private onlyString(isRaw: boolean): void {
    const end = this.endOfValue();
    if (this.at === end) return this.bytes(NULL);
    this.at++;
    const stop = this.endOfValue();
    if (isRaw) this.raw(stop);
    else this.text(stop);
    this.at = end;
  }

  private integer(kind: 'int32' | 'int64'): void {
    const { buffer, at } = this;
    const first = buffer[at]!;
    const second = buffer[at + 1]!;
    if (first < 10) {
      this.reserve(1);
      this.out[this.length++] = ZERO + first;
      this.at++;
    } else if (first < 0x80 || second < 0x80) {
      this.at += first < 0x80 ? 1 : 2;
      this.ascii(String(first < 0x80 ? first : (first & 0x7f) | (second << 7)));
    } else {
      const reader = this.readerHere();
      this.ascii(String(kind === 'int32' ? reader.int32() : readInt64(reader)));
      this.at = reader.pos;
    }
  }

  private otherValue(field: FieldPlan): void {
    const reader = this.readerHere();
    switch (field.kind) {
      case 'time':
      case 'microTime': {
        const time = field.kind === 'time' ? readTime(reader) : readMicroTime(reader);
        if (time === null) this.bytes(NULL);
        else this.quoted(time);
        break;
      }
      case 'duration':
        this.quoted(readDuration(reader, formatDuration));
        break;
      case 'intOrString': {
        const value = readIntOrString(reader);
        if (typeof value === 'number') this.ascii(String(value));
        else this.bytes(word(stringifyEscaped(value)));
        break;
      }
      default:
        throw new Error(`${field.kind} is never canonical`);
    }
    this.at = reader.pos;
  }

  private readerHere(): Reader {
    const reader = (this.reader ??= readerOf(this.buffer));
    reader.pos = this.at;
    return reader;
  }

  /** A string of UTF-8 up to `end`, in quotes and escaped. */
  private text(end: number): void {
    const { buffer } = this;
    let { at } = this;
    this.reserve((end - at) * ESCAPED_BYTES_MAX + VALUE_BYTES_MAX);
    const { out, view, source } = this;
    let { length } = this;
    out[length++] = QUOTE;
    for (; at <= end - 4; at += 4, length += 4) {
      const four = source.getInt32(at, true);
      if (hasEscape(four)) break;
      view.setInt32(length, four, true);
    }
    for (; at < end; at++) {
      const byte = buffer[at]!;
      if (escapes[byte] !== 0) break;
      out[length++] = byte;
    }
    if (at < end) length = this.escaped(at, end, length);
    out[length++] = QUOTE;
    this.length = length;
    this.at = end;
  }

  /** What of a text comes from its first byte on that may be escaped; returns where it ends. */
  private escaped(start: number, end: number, to: number): number {
    const { buffer, out } = this;
    let length = to;
    for (let at = start; at < end; at++) {
      const byte = buffer[at]!;
      const escape = escapes[byte]!;
      if (escape === 0) out[length++] = byte;
      else if (escape === LETTER_U) length = this.escapeOf(byte, length);
      else if (escape === PERHAPS) {
        const isSeparator = this.isSeparator(at, end);
        length = isSeparator ? this.escapeOf(0x2000 | (buffer[at + 2]! & 0x3f), length) : length;
        if (isSeparator) at += 2;
        else out[length++] = byte;
      } else {
        out[length++] = BACKSLASH;
        out[length++] = escape;
      }
    }
    return length;
  }

  /** JSON as it came, up to `end`: markup is in its strings alone. */
  private raw(end: number): void {
    const { buffer } = this;
    let { at } = this;
    this.reserve((end - at) * ESCAPED_BYTES_MAX + VALUE_BYTES_MAX);
    const { out, view, source } = this;
    let { length } = this;
    while (at < end) {
      for (; at <= end - 4; at += 4, length += 4) {
        const four = source.getInt32(at, true);
        if (hasMarkup(four)) break;
        view.setInt32(length, four, true);
      }
      if (at === end) break;
      const byte = buffer[at]!;
      const isSeparator = byte === SEPARATOR_LEAD && this.isSeparator(at, end);
      if (isSeparator) length = this.escapeOf(0x2000 | (buffer[at + 2]! & 0x3f), length);
      else if (byte === 0x3c || byte === 0x3e || byte === 0x26) length = this.escapeOf(byte, length);
      else out[length++] = byte;
      at += isSeparator ? 3 : 1;
    }
    this.length = length;
    this.at = end;
  }

  /** U+2028 or U+2029 is at `at`. */
  private isSeparator(at: number, end: number): boolean {
    const { buffer } = this;
    return at + 2 < end && buffer[at + 1] === 0x80 && (buffer[at + 2]! | 1) === 0xa9;
  }

  /** `\u` with four digits; returns where it ends. */
  private escapeOf(code: number, to: number): number {
    const { out } = this;
    let length = to;
    out[length++] = BACKSLASH;
    out[length++] = LETTER_U;
    for (let shift = 12; shift >= 0; shift -= 4) out[length++] = HEX[(code >>> shift) & 15]!;
    return length;
  }

  private quoted(text: string): void {
    this.reserve(2);
    this.out[this.length++] = QUOTE;
    this.ascii(text);
    this.reserve(1);
    this.out[this.length++] = QUOTE;
  }

  private ascii(text: string): void {
    this.reserve(text.length);
    if (text.length > LONG_BYTES) {
      this.length += this.out.write(text, this.length, 'latin1');
      return;
    }
    const { out } = this;
    let { length } = this;
    for (let i = 0; i < text.length; i++) out[length++] = text.charCodeAt(i);
    this.length = length;
  }

  private bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    const { out } = this;
    let { length } = this;
    for (let i = 0; i < bytes.length; i++) out[length++] = bytes[i]!;
    this.length = length;
  }

  private varint(): number {
    const { buffer } = this;
    const first = buffer[this.at++]!;
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let shift = 7; ; shift += 7) {
      const byte = buffer[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** Goes to the begin of the length-delimited value at hand; returns where it ends. */
  private endOfValue(): number {
    const { buffer } = this;
    const length = buffer[this.at]! < 0x80 ? buffer[this.at++]! : this.varint();
    return this.at + length;
  }
}
