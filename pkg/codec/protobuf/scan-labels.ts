import { decodeEnvelope } from './envelope.ts';
import { readerOf } from './sharing-reader.ts';
import { endOf, readEntry, type Reader } from './wire.ts';

/** Field numbers shared by all stored kinds: metadata is the first field, labels the eleventh of metadata. */
const METADATA_TAG = 10;
const LABELS_TAG = 90;

/** The labels of an enveloped object, without decoding anything else. */
export function scanLabels(value: Uint8Array): Record<string, string> | undefined {
  const r = readerOf(decodeEnvelope(value).raw);
  while (r.pos < r.len) {
    const tag = r.uint32();
    if (tag === METADATA_TAG) return labelsOfMetadata(r, endOf(r));
    r.skipType(tag & 7);
  }
  return undefined;
}

function labelsOfMetadata(r: Reader, end: number): Record<string, string> | undefined {
  let labels: Record<string, string> | undefined;
  while (r.pos < end) {
    const tag = r.uint32();
    if (tag === LABELS_TAG)
      readEntry(
        r,
        (labels ??= {}),
        () => '',
        (at) => at.string(),
      );
    else if (tag > LABELS_TAG && labels !== undefined) break;
    else r.skipType(tag & 7);
  }
  return labels;
}
