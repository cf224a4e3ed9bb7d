/**
 * The byte layout of the embedded store. Revisions are big-endian in keys, so that LMDB's order is revision order, and
 * doubles in values. Only this module writes it. Decoders trust their input, except for records of the log, which carry
 * a checksum.
 */
import { crc32 } from 'node:zlib';

const revisionBytes = 8;
const recordHeaderBytes = 27;
const separator = 0;
/** In the header: how the record is checked (0, in older data: not at all), then the checksum. */
const checksumKindAt = 19;
const checksumAt = 20;
const crc32Kind = 1;

/**
 * One change as the log holds it. `createRevision` is 0 for a delete; `previousRevision` is 0 when the key did not
 * exist before.
 */
export interface LogRecord {
  readonly key: string;
  readonly deleted: boolean;
  readonly createRevision: number;
  readonly previousRevision: number;
  /** A view into the record: as large as the value itself plus some header bytes. */
  readonly value: Uint8Array;
}

/** Where a version of a key is: the revision that wrote it names its record in the log. */
export interface Version {
  readonly modRevision: number;
  readonly createRevision: number;
}

export function encodeRevision(revision: number): Buffer {
  const bytes = Buffer.allocUnsafe(revisionBytes);
  writeRevision(bytes, revision, 0);
  return bytes;
}

export function decodeRevision(bytes: Uint8Array, at = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, revisionBytes);
  return view.getUint32(0) * 2 ** 32 + view.getUint32(4);
}

function writeRevision(target: Buffer, revision: number, at: number): void {
  target.writeUInt32BE(Math.floor(revision / 2 ** 32), at);
  target.writeUInt32BE(revision % 2 ** 32, at + 4);
}

export function encodeVersion(version: Version): Buffer {
  const bytes = Buffer.allocUnsafe(2 * revisionBytes);
  bytes.writeDoubleBE(version.modRevision, 0);
  bytes.writeDoubleBE(version.createRevision, 8);
  return bytes;
}

export function decodeVersion(bytes: Uint8Array): Version {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { modRevision: view.getFloat64(0), createRevision: view.getFloat64(8) };
}

/**
 * Key of a superseded version: the key, then the revision that replaced or deleted it. Keys have no NUL, so the order
 * is by key first.
 */
export function encodeHistoryKey(key: Uint8Array, endRevision: number): Buffer {
  const bytes = Buffer.allocUnsafe(key.length + 1 + revisionBytes);
  bytes.set(key, 0);
  bytes[key.length] = separator;
  writeRevision(bytes, endRevision, key.length + 1);
  return bytes;
}

export function decodeHistoryKey(bytes: Buffer): { key: Buffer; endRevision: number } {
  const keyBytes = bytes.length - 1 - revisionBytes;
  return { key: bytes.subarray(0, keyBytes), endRevision: decodeRevision(bytes, keyBytes + 1) };
}

/** Key of an expiry: the time in milliseconds, then the revision that set it. */
export function encodeExpiryKey(expiresAtMs: number, revision: number): Buffer {
  const bytes = Buffer.allocUnsafe(2 * revisionBytes);
  writeRevision(bytes, expiresAtMs, 0);
  writeRevision(bytes, revision, revisionBytes);
  return bytes;
}

export function decodeExpiryKey(bytes: Uint8Array): { expiresAtMs: number; revision: number } {
  return { expiresAtMs: decodeRevision(bytes), revision: decodeRevision(bytes, revisionBytes) };
}

/** The record for a revision in a separate buffer, so that it may outlive the caller's value. */
export function encodeRecord(revision: number, key: Uint8Array, record: Omit<LogRecord, 'key'>): Buffer {
  const bytes = Buffer.allocUnsafeSlow(recordHeaderBytes + key.length + record.value.length);
  bytes[0] = record.deleted ? 1 : 0;
  bytes.writeDoubleBE(record.createRevision, 1);
  bytes.writeDoubleBE(record.previousRevision, 9);
  bytes.writeUInt16BE(key.length, 17);
  bytes[checksumKindAt] = crc32Kind;
  // Three bytes are zero: reserved for a later layout without rewriting the log.
  bytes.fill(0, checksumAt, recordHeaderBytes);
  bytes.set(key, recordHeaderBytes);
  bytes.set(record.value, recordHeaderBytes + key.length);
  bytes.writeUInt32BE(checksumOf(bytes, revision), checksumAt);
  return bytes;
}

/** A record that was just made. For records from the disk use `readRecord`. */
export function decodeRecord(bytes: Buffer): LogRecord {
  const valueAt = recordHeaderBytes + bytes.readUInt16BE(17);
  return {
    key: bytes.toString('utf8', recordHeaderBytes, valueAt),
    deleted: bytes[0] === 1,
    createRevision: bytes.readDoubleBE(1),
    previousRevision: bytes.readDoubleBE(9),
    value: bytes.subarray(valueAt),
  };
}

/**
 * The record of a revision from the disk. Throws `DamagedRecordError` when it differs from what was written. Records of
 * earlier releases have no checksum.
 */
export function readRecord(revision: number, bytes: Buffer): LogRecord {
  if (bytes.length < recordHeaderBytes || bytes.length < recordHeaderBytes + bytes.readUInt16BE(17))
    throw new DamagedRecordError('its record is cut');
  const kind = bytes[checksumKindAt];
  if (kind === crc32Kind ? bytes.readUInt32BE(checksumAt) !== checksumOf(bytes, revision) : kind !== 0)
    throw new DamagedRecordError('its checksum does not match');
  return decodeRecord(bytes);
}

/** As `readRecord`, but undefined when it is damaged. */
export function readableRecord(revision: number, bytes: Buffer): LogRecord | undefined {
  try {
    return readRecord(revision, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return undefined;
    throw error;
  }
}

/** The content of the disk differs from what was written. */
export class DamagedRecordError extends Error {}

/** Of the revision and of all bytes but its own four. */
function checksumOf(bytes: Buffer, revision: number): number {
  return crc32(bytes.subarray(checksumAt + 4), crc32(bytes.subarray(0, checksumAt), revision % 2 ** 32));
}
