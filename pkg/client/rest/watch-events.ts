import { type Status, StatusError } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { BodyCodec, DecodedEvent } from './body-codec.ts';
import { ConnectionError, type WatchEvent } from './client.ts';
import type { Readable } from 'node:stream';

/** Annotation of the bookmark behind the initial events (KEP-3157). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Events of a watch's answer, until it ends. Throws a `StatusError` where the server says why it ends. */
export async function* watchEvents<T extends ApiObject>(
  body: Readable,
  codec: BodyCodec,
  frameBytesMax: number,
): AsyncGenerator<WatchEvent<T>, void> {
  const splitter = codec.frames(frameBytesMax);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (const frame of splitter.push(chunk)) yield eventOf<T>(codec.decodeEvent(frame));
  }
  if (splitter.isWithinFrame) throw new ConnectionError('the watch broke off within an event');
}

function eventOf<T extends ApiObject>({ type, object }: DecodedEvent): WatchEvent<T> {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: object as T };
    case 'BOOKMARK': {
      const { resourceVersion = '', annotations } = object.metadata;
      return { type, resourceVersion, initial: annotations?.[INITIAL_EVENTS_END] === 'true' };
    }
    case 'ERROR':
      throw new StatusError(object as unknown as Status);
    default:
      throw new ConnectionError(`unknown type of watch event ${JSON.stringify(type)}`);
  }
}
