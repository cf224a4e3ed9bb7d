import { wireRows } from '../../generated/wire-rows.ts';
import { encodeEnvelope } from '../protobuf/envelope.ts';
import { CanonicalWalker } from './canonical-walker.ts';
import { JsonWriter } from './json-writer.ts';
import { planOf, type MessagePlan } from './message-plan.ts';
import { settledKinds } from './settled-rules.ts';

/** A version of a kind that is asked for; stored bytes are of use where they are of this version. */
export interface StoredTarget {
  readonly groupVersion: string;
  readonly kind: string;
  readonly message: { readonly message: string };
  readonly version: { setDefaults?: unknown; toHub?: unknown; fromHub?: unknown };
}

/** The uses of a stored object's bytes, besides decoding; `unknown` until the first check. */
export type StoredUse = 'unknown' | 'none' | 'protobuf' | 'protobuf-and-json';

/** An object as it is stored, and what was found out about its bytes. */
export interface StoredObject {
  readonly value: Uint8Array;
  readonly revision: number;
  storedUse: StoredUse;
}

/** Empty contentEncoding and contentType close every envelope. */
const envelopeTail = Uint8Array.of(0x1a, 0x00, 0x22, 0x00);
/** Metadata is the first field of every kind. */
const METADATA_TAG = 10;
const RESOURCE_VERSION_NUMBER = 6;

// Process-wide: scratch memory, whose content is void between two calls.
const walker = new CanonicalWalker();
// Process-wide: scratch memory, too.
const jsonWriter = new JsonWriter();

/**
 * Items of one version of a kind, made from stored bytes without decoding them. Where that is possible is found out
 * once for each object.
 */
export class StoredItems {
  /** What values of the version begin with. */
  private readonly head: Uint8Array;
  private readonly plan: MessagePlan;
  private readonly needsRules: boolean;
  /** Text in metadata that a default removes. */
  private readonly removed: Buffer | undefined;

  private constructor(target: StoredTarget, removed: Buffer | undefined) {
    const envelope = encodeEnvelope(target.groupVersion, target.kind, () => undefined);
    // Without the length of the message, which is none here.
    this.head = envelope.subarray(0, envelope.length - envelopeTail.length - 1);
    this.plan = planOf(target.message.message);
    this.needsRules = target.version.setDefaults !== undefined;
    this.removed = removed;
  }

  /** Undefined for versions whose objects always have to be decoded. */
  static of(target: StoredTarget): StoredItems | undefined {
    let items = known.get(target);
    if (items === undefined) known.set(target, (items = StoredItems.make(target) ?? null));
    return items ?? undefined;
  }

  private static make(target: StoredTarget): StoredItems | undefined {
    const { version, message } = target;
    const settled = settledKinds.get(message.message);
    if (version.setDefaults !== undefined && settled === undefined) return undefined;
    if (version.fromHub !== undefined) return undefined;
    if (version.toHub !== undefined && settled?.coversToHub !== true) return undefined;
    return Object.hasOwn(wireRows, message.message) ? new StoredItems(target, settled?.removed) : undefined;
  }

  /** Whether `json` or `protobuf` can make an item of the object. */
  serve(object: StoredObject, form: 'json' | 'protobuf'): boolean {
    if (!this.isOfVersion(object.value)) return false;
    if (object.storedUse === 'unknown') object.storedUse = this.find(object.value);
    return object.storedUse === 'protobuf-and-json' || object.storedUse === form;
  }

  private find(value: Uint8Array): StoredUse {
    const message = this.messageIn(value);
    if (message === undefined || !walker.isCanonical(message, this.plan, this.needsRules)) return 'none';
    if (versionAt(message) < 0 || (this.removed !== undefined && hasInMetadata(message, this.removed))) return 'none';
    return walker.reordersJson ? 'protobuf' : 'protobuf-and-json';
  }

  private isOfVersion(value: Uint8Array): boolean {
    const { head } = this;
    for (let i = 0; i < head.length; i++) if (head[i] !== value[i]) return false;
    return true;
  }

  /** The message in an envelope as the generated writer makes them; undefined where it is another. */
  private messageIn(value: Uint8Array): Buffer | undefined {
    let start = this.head.length;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = value[start++];
      if (byte === undefined || shift === 28) return undefined;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const end = start + length;
    if (length === 0 || end + envelopeTail.length !== value.length) return undefined;
    for (let i = 0; i < envelopeTail.length; i++) if (value[end + i] !== envelopeTail[i]) return undefined;
    return Buffer.from(value.buffer, value.byteOffset + start, length);
  }

  /** The JSON of an object that is served, without `kind` and `apiVersion`; valid until the next call. */
  json({ value, revision }: StoredObject): Uint8Array {
    return jsonWriter.write(this.messageIn(value)!, this.plan, revision);
  }

  /** The length of the protobuf message of an object that is served. */
  protobufLength({ value, revision }: StoredObject): number {
    const message = this.messageIn(value)!;
    const { length, start } = metadataOf(message);
    const digits = String(revision).length;
    return 1 + varintBytes(length + digits) + (message.length - start) + digits;
  }

  /** The protobuf message of an object that is served; valid until the next call. */
  protobuf({ value, revision }: StoredObject): Uint8Array {
    const message = this.messageIn(value)!;
    const metadata = metadataOf(message);
    const version = String(revision);
    const gap = versionAt(message);
    const out = scratchOf(message.length + SCRATCH_SPARE_BYTES);
    let at = 0;
    out[at++] = METADATA_TAG;
    at = putVarint(out, at, metadata.length + version.length);
    // The version's length of zero gives way to the version.
    at += message.copy(out, at, metadata.start, gap);
    out[at++] = version.length;
    for (let i = 0; i < version.length; i++) out[at++] = version.charCodeAt(i);
    at += message.copy(out, at, gap + 1);
    return out.subarray(0, at);
  }
}

const SCRATCH_BYTES = 64 * 1024;
/** What the version adds: its digits, and those of longer lengths. */
const SCRATCH_SPARE_BYTES = 64;
// Process-wide: as its content is void at the next call.
let scratch = Buffer.alloc(0);

/** Memory that is written to again and again; larger pieces are not kept. */
function scratchOf(bytes: number): Buffer {
  if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(bytes);
  if (scratch.length === 0) scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  return scratch;
}

// Process-wide: a target is the same for all.
const known = new WeakMap<StoredTarget, StoredItems | null>();

/** Where the content of `metadata` begins, and its length. */
function metadataOf(message: Buffer): { start: number; length: number } {
  let start = 1;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = message[start++]!;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { start, length };
  }
}

function hasInMetadata(message: Buffer, text: Buffer): boolean {
  const { start, length } = metadataOf(message);
  return message.subarray(start, start + length).includes(text);
}

/** Where the length of the empty resource version is in a canonical message; -1 where it has another, or none. */
function versionAt(message: Buffer): number {
  if (message[0] !== METADATA_TAG) return -1;
  const { start, length } = metadataOf(message);
  // Before it are strings alone, all of them always there.
  for (let at = start; at < start + length;) {
    const number = message[at++]! >>> 3;
    if (number === RESOURCE_VERSION_NUMBER) return message[at] === 0 ? at : -1;
    if (number > RESOURCE_VERSION_NUMBER) return -1;
    let bytes = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++]!;
      bytes |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += bytes;
  }
  return -1;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

/** Returns where it ends. */
function putVarint(out: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80;
  out[at++] = rest;
  return at;
}
