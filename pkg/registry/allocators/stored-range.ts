import { parseJson } from '../../apimachinery/json/json.ts';
import { messageOf } from '../../codec/messages.ts';
import { normalize } from '../../codec/normalize.ts';
import { decodeEnvelope, hasMagic } from '../../codec/protobuf/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { RangeAllocation } from '../../generated/types/core-v1.ts';
import type { Bitmap } from './bitmap.ts';

const MESSAGE = 'core/v1.RangeAllocation';

/** A stored allocation, with the metadata that is kept when it is written again. */
export interface StoredRange {
  readonly text: string;
  readonly data: Uint8Array;
  readonly metadata: RangeAllocation['metadata'];
}

/** Reads a stored value, protobuf or JSON, as stock servers write it. Throws on anything else. */
export function decodeRange(value: Uint8Array): StoredRange {
  const object = hasMagic(value)
    ? decodeProtobuf<RangeAllocation>(messageOf(MESSAGE), decodeEnvelope(value).raw)
    : normalize<RangeAllocation>(parseJson(value), schemaOf(MESSAGE));
  return { text: object.range, data: Buffer.from(object.data ?? '', 'base64'), metadata: object.metadata };
}

export function encodeRange(
  text: string,
  bitmap: Bitmap,
  metadata: RangeAllocation['metadata'] | undefined,
): Uint8Array {
  const data = Buffer.from(bitmap.toBytes()).toString('base64');
  return encodeProtobuf(messageOf(MESSAGE), 'v1', 'RangeAllocation', { metadata: metadata ?? {}, range: text, data });
}
