import type { Resource } from '../../api/resource.ts';
import { stringifyGoJson } from '../../apimachinery/json/go-json.ts';
import { parseJson } from '../../apimachinery/json/json.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { type BodyCodec, type DecodedEvent, type DecodedList, withType } from './body-codec.ts';
import { LineSplitter } from './watch-frames.ts';

export const jsonCodec: BodyCodec = {
  contentType: 'application/json',
  // A stock server keeps the bytes of a revision's data, and Go programs compare them.
  encode: (object) => Buffer.from(stringifyGoJson(object)),
  decode: <T>(body: Buffer): T => parseJson(body) as T,
  decodeList<T extends ApiObject>(body: Buffer, resource: Resource<T>): DecodedList<T> {
    const { metadata, items } = parseJson(body) as { metadata?: DecodedList<T>['metadata']; items?: T[] | null };
    const objects = items ?? [];
    withType(objects, resource);
    return { metadata: metadata ?? {}, items: objects };
  },
  frames: (frameBytesMax) => new LineSplitter(frameBytesMax),
  decodeEvent: (frame) => parseJson(frame) as DecodedEvent,
};
