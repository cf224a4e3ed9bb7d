import type protobuf from 'protobufjs/minimal.js';
import { setKey } from '../../apimachinery/json/own-keys.ts';

/**
 * Reading and writing of the values whose JSON form differs from their protobuf form. The generated codecs call these;
 * every function that reads takes the reader at the value (behind its tag) and leaves it behind the value.
 *
 * Source of the wire rules: the types' declarations in `proto/`, and the way Go's generated marshalers write zero
 * values.
 */
export type Reader = protobuf.Reader;
export type Writer = protobuf.Writer;

/** Values of 64 bits: a number, or a BigInt beyond 2^53-1. */
export type Int64 = number | bigint;

/** Where the length-delimited value at the reader ends. */
export function endOf(r: Reader): number {
  const length = readLength(r);
  const end = r.pos + length;
  if (end > r.len) throw new RangeError(`length ${length} exceeds the message`);
  return end;
}

/**
 * A varint of at most 32 bits: the reader's own would drop the bits above and take a hostile length for a small one.
 */
function readLength(r: Reader): number {
  let length = 0;
  for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
    const byte = r.pos < r.len ? r.buf[r.pos++]! : 0xff;
    length += (byte & 0x7f) * factor;
    if (byte < 0x80) return length;
  }
  throw new RangeError('invalid length');
}

export function readInt64(r: Reader): Int64 {
  const buf = r.buf;
  const first = buf[r.pos];
  if (first !== undefined && first < 0x80 && r.pos < r.len) {
    r.pos++;
    return first;
  }
  let low = 0;
  let high = 0;
  let shift = 0;
  for (let i = 0; i < 10; i++) {
    if (r.pos >= r.len) throw new RangeError('index out of range');
    const byte = buf[r.pos++]!;
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high |= bits >>> 4;
    } else high |= bits << (shift - 32);
    if (byte < 0x80) return joinInt64(low >>> 0, high | 0);
    shift += 7;
  }
  throw new RangeError('invalid varint encoding');
}

function joinInt64(low: number, high: number): Int64 {
  const value = high * 4294967296 + low;
  if (Number.isSafeInteger(value)) return value;
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
}

export function writeInt64(w: Writer, value: Int64): void {
  if (typeof value === 'number') {
    w.int64(value);
    return;
  }
  const bits = BigInt.asUintN(64, value);
  // The shape of the Long class, which the writer takes without the package.
  w.int64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: false } as unknown as number);
}

/** Bytes as base64. */
export function readBytes(r: Reader): string {
  const end = endOf(r);
  const text = Buffer.from(r.buf.buffer, r.buf.byteOffset + r.pos, end - r.pos).toString('base64');
  r.pos = end;
  return text;
}

export function writeBytes(w: Writer, base64: string): void {
  w.bytes(Buffer.from(base64, 'base64'));
}

interface SecondsAndNanos {
  seconds: number;
  nanos: number;
}

function readSecondsAndNanos(r: Reader): SecondsAndNanos | null {
  const end = endOf(r);
  if (r.pos === end) return null;
  let seconds = 0;
  let nanos = 0;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 8) seconds = Number(readInt64(r));
    else if (tag === 16) nanos = r.int32();
    else r.skipType(tag & 7);
  }
  return { seconds, nanos };
}

// Process-wide: what a second is called depends on nothing else.
const secondsMemo = new Map<number, string>();

/** The text of a whole second; a list repeats few distinct times, so the newest ones are cached. */
function formatSeconds(seconds: number): string {
  let text = secondsMemo.get(seconds);
  if (text === undefined) {
    const date = new Date(seconds * 1000);
    if (Number.isNaN(date.getTime()) || seconds < -62135596800 || seconds > 253402300799)
      throw new RangeError(`time out of range: ${seconds}`);
    text = `${date.toISOString().slice(0, 19)}Z`;
    if (secondsMemo.size >= 4096) secondsMemo.clear();
    secondsMemo.set(seconds, text);
  }
  return text;
}

/** RFC 3339 in whole seconds; null for Go's zero time. */
export function readTime(r: Reader): string | null {
  const at = readSecondsAndNanos(r);
  return at === null ? null : formatSeconds(at.seconds);
}

/** RFC 3339 with six fractional digits; null for Go's zero time. */
export function readMicroTime(r: Reader): string | null {
  const at = readSecondsAndNanos(r);
  if (at === null) return null;
  const micros = String(Math.trunc(at.nanos / 1000)).padStart(6, '0');
  return `${formatSeconds(at.seconds).slice(0, 19)}.${micros}Z`;
}

function writeSecondsAndNanos(w: Writer, text: string, nanos: number): void {
  const seconds = Math.floor(Date.parse(text.length > 20 ? text.replace(/\.\d+/, '') : text) / 1000);
  if (Number.isNaN(seconds)) throw new RangeError(`not a time: ${text}`);
  w.fork();
  w.uint32(8).int64(seconds);
  w.uint32(16).int32(nanos);
  w.ldelim();
}

/** Writes the length-delimited value; an absent time is an empty message. */
export function writeTime(w: Writer, text: string | null | undefined): void {
  if (text === null || text === undefined) w.uint32(0);
  else writeSecondsAndNanos(w, text, 0);
}

export function writeMicroTime(w: Writer, text: string | null | undefined): void {
  if (text === null || text === undefined) {
    w.uint32(0);
    return;
  }
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  writeSecondsAndNanos(w, text, Math.trunc(Number(fraction.padEnd(9, '0')) / 1000) * 1000);
}

/** Gives equal nested messages as one object. */
export interface MessageCache {
  /** The message of this type from the reader's position to `end`; `type` is one number for one `read`. */
  read<T extends object>(r: Reader, end: number, read: (r: Reader, end: number) => T, type: number): T;
}

/** A nested message of a type whose equal values are one object where the reader has a cache of them. */
export function readShared<T extends object>(r: Reader, read: (r: Reader, end: number) => T, type: number): T {
  const end = endOf(r);
  const { messages } = r as Reader & { readonly messages?: MessageCache };
  return messages === undefined ? read(r, end) : messages.read(r, end, read, type);
}

/** The only field of a message, `number 1`, read by `read`; other fields are skipped. */
function readOnly<T>(r: Reader, zero: T, read: (r: Reader) => T): T {
  const end = endOf(r);
  let value = zero;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag >>> 3 === 1) value = read(r);
    else r.skipType(tag & 7);
  }
  return value;
}

export function readQuantity(r: Reader): string {
  return readOnly(r, '0', (at) => at.string());
}

export function writeQuantity(w: Writer, text: string | null | undefined): void {
  w.fork();
  w.uint32(10).string(text ?? '0');
  w.ldelim();
}

export function readIntOrString(r: Reader): number | string {
  const end = endOf(r);
  let type = 0;
  let int = 0;
  let str = '';
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 8) type = Number(readInt64(r));
    else if (tag === 16) int = r.int32();
    else if (tag === 26) str = r.string();
    else r.skipType(tag & 7);
  }
  return type === 1 ? str : int;
}

export function writeIntOrString(w: Writer, value: number | string | null | undefined): void {
  const isText = typeof value === 'string';
  w.fork();
  w.uint32(8).int64(isText ? 1 : 0);
  w.uint32(16).int32(isText ? 0 : Number(value ?? 0));
  w.uint32(26).string(isText ? value : '');
  w.ldelim();
}

export function readDuration(r: Reader, format: (nanoseconds: Int64) => string): string {
  return format(readOnly<Int64>(r, 0, readInt64));
}

export function writeDuration(w: Writer, text: string | null | undefined, parse: (text: string) => Int64): void {
  w.fork();
  w.uint32(8);
  writeInt64(w, text === null || text === undefined ? 0 : parse(text));
  w.ldelim();
}

/** Raw JSON held in field 1; null when the message is empty. */
export function readRaw(r: Reader, parse: (text: string) => unknown): unknown {
  return readOnly<unknown>(r, null, (at) => parse(at.string()));
}

export function writeRaw(w: Writer, value: unknown, stringify: (value: unknown) => string): void {
  w.fork();
  if (value !== null && value !== undefined) w.uint32(10).string(stringify(value));
  w.ldelim();
}

export function readStringList(r: Reader): string[] {
  const list: string[] = [];
  const end = endOf(r);
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 10) list.push(r.string());
    else r.skipType(tag & 7);
  }
  return list;
}

export function writeStringList(w: Writer, list: readonly string[] | null | undefined): void {
  w.fork();
  for (const item of list ?? []) w.uint32(10).string(item);
  w.ldelim();
}

/**
 * `list` with one more item. V8 allocates room for 17 items at the first push, but none to spare in a list literal;
 * most lists of stored objects have one to five (a pod has five conditions), and decoded objects stay in memory.
 */
export function append<T>(list: T[] | null | undefined, item: T): T[] {
  switch (list?.length ?? 0) {
    case 0:
      return [item];
    case 1:
      return [list![0]!, item];
    case 2:
      return [list![0]!, list![1]!, item];
    case 3:
      return [list![0]!, list![1]!, list![2]!, item];
    case 4:
      return [list![0]!, list![1]!, list![2]!, list![3]!, item];
    default:
      list!.push(item);
      return list!;
  }
}

/** Reads one map entry into `map`; an entry without value takes `zero`. */
export function readEntry<T>(r: Reader, map: Record<string, T>, zero: () => T, read: (r: Reader) => T): void {
  const end = endOf(r);
  let key = '';
  let value: T | undefined;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === 10) key = r.string();
    else if (tag >>> 3 === 2) value = read(r);
    else r.skipType(tag & 7);
  }
  setKey(map, key, value === undefined ? zero() : value);
}

/** The keys of a map in the order of their UTF-8 bytes, in which maps are written. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  keys.sort();
  return keys.some(hasSurrogate) ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) : keys;
}

function hasSurrogate(key: string): boolean {
  return /[\ud800-\uffff]/.test(key);
}
