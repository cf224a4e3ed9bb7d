/** The form that a frame of the peer must have, regardless of its content (RFC 9113, section 6). */
import { frameFlag, frameType, payloadBytesDefault, setting, windowBytesMax } from './http2-frames.ts';
import type { Frame } from './http2-frames.ts';

interface FrameForm {
  /** On a stream, on the connection as a whole, or on either. */
  readonly place: 'stream' | 'connection' | 'either';
  readonly isLengthRight: (bytes: number) => boolean;
}

const any = (): boolean => true;
const exactly =
  (bytes: number) =>
  (found: number): boolean =>
    found === bytes;

/** Other types are ignored, except pushes, which this client has turned off. */
const forms: ReadonlyMap<number, FrameForm> = new Map<number, FrameForm>([
  [frameType.data, { place: 'stream', isLengthRight: any }],
  [frameType.headers, { place: 'stream', isLengthRight: any }],
  [frameType.resetStream, { place: 'stream', isLengthRight: exactly(4) }],
  [frameType.settings, { place: 'connection', isLengthRight: (bytes) => bytes % 6 === 0 }],
  [frameType.pushPromise, { place: 'stream', isLengthRight: () => false }],
  [frameType.ping, { place: 'connection', isLengthRight: exactly(8) }],
  [frameType.goaway, { place: 'connection', isLengthRight: (bytes) => bytes >= 8 }],
  [frameType.windowUpdate, { place: 'either', isLengthRight: exactly(4) }],
  [frameType.continuation, { place: 'stream', isLengthRight: any }],
]);

/**
 * Throws on a frame that breaks the protocol by its form, or is on a stream that this side has not opened. `nextId`: id
 * of its next stream.
 */
export function checkFrame(frame: Frame, nextId: number): void {
  const form = forms.get(frame.type);
  if (form === undefined) return;
  const isMisplaced =
    frame.stream === 0
      ? form.place === 'stream'
      : form.place === 'connection' || frame.stream >= nextId || frame.stream % 2 === 0;
  if (isMisplaced) throw new RangeError(`a frame of type ${frame.type} on stream ${frame.stream}`);
  if (!form.isLengthRight(frame.payload.length))
    throw new RangeError(`a frame of type ${frame.type} with ${frame.payload.length} bytes`);
}

/** Reads the pairs of a SETTINGS frame. Throws on values that no peer may set. */
export function readSettings({ flags, payload }: Frame): readonly (readonly [id: number, value: number])[] {
  if (flags & frameFlag.ack && payload.length > 0)
    throw new RangeError('an acknowledgement of settings with a payload');
  const values: [number, number][] = [];
  for (let at = 0; at < payload.length; at += 6) values.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)]);
  for (const [id, value] of values) {
    const isWrong =
      (id === setting.initialWindowSize && value > windowBytesMax) ||
      (id === setting.enablePush && value !== 0) ||
      (id === setting.maxFrameSize && (value < payloadBytesDefault || value >= 2 ** 24));
    if (isWrong) throw new RangeError(`setting ${id} of ${value}`);
  }
  return values;
}
