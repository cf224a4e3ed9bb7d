import protobuf from 'protobufjs/minimal.js';
import { wireRows } from '../../generated/wire-rows.ts';
import { decodeEnvelope, hasMagic } from '../protobuf/envelope.ts';
import { planOf } from './message-plan.ts';
import { settledKinds } from './settled-rules.ts';
import { CanonicalWalker } from './canonical-walker.ts';

/** The version that is stored and asked for, where the two are one and it is also the hub's. */
export interface StoredTarget {
  readonly groupVersion: string;
  readonly kind: string;
  readonly message: { readonly message: string };
  readonly version: { setDefaults?: unknown; toHub?: unknown; fromHub?: unknown };
}

/** Metadata is the first field of every kind. */
const METADATA_TAG = 10;

// Process-wide: scratch memory, whose content is void between two calls.
const walker = new CanonicalWalker();

/** The protobuf message of a stored value, with its version; undefined where the object has to be decoded for that. */
export function storedProtobuf(target: StoredTarget, value: Uint8Array, revision: number): Uint8Array | undefined {
  const raw = canonicalMessage(target, value);
  if (raw === undefined) return undefined;
  const { metadataStart: start, metadataEnd: end, versionAt } = walker;
  const version = String(revision);
  const head = protobuf.Writer.create()
    .uint32(10)
    .uint32(end - start + version.length)
    .finish();
  // The version's length of zero gives way to the version.
  const out = Buffer.allocUnsafeSlow(head.length + raw.length - start + version.length);
  out.set(head, 0);
  out.set(raw.subarray(start, versionAt), head.length);
  let at = head.length + versionAt - start;
  out[at++] = version.length;
  at += out.write(version, at, 'latin1');
  out.set(raw.subarray(versionAt + 1), at);
  return out;
}

/**
 * The message of a value, in which an empty resource version was found; undefined where the value is of another form or
 * version, or needs defaults.
 */
function canonicalMessage(target: StoredTarget, value: Uint8Array): Buffer | undefined {
  const { version, message } = target;
  if (version.toHub !== undefined || version.fromHub !== undefined || !hasMagic(value)) return undefined;
  const needsRules = version.setDefaults !== undefined;
  const removed = settledKinds.get(message.message);
  if ((needsRules && removed === undefined) || !Object.hasOwn(wireRows, message.message)) return undefined;
  let envelope;
  try {
    envelope = decodeEnvelope(value);
  } catch {
    // Decoding the object reports it.
    return undefined;
  }
  const { apiVersion, kind, raw, contentEncoding, contentType } = envelope;
  if (apiVersion !== target.groupVersion || kind !== target.kind || contentEncoding !== '' || contentType !== '')
    return undefined;
  const buffer = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (removed !== undefined && buffer.includes(removed)) return undefined;
  if (!walker.isCanonical(buffer, planOf(message.message), needsRules)) return undefined;
  return walker.versionAt > 0 && buffer[0] === METADATA_TAG ? buffer : undefined;
}
