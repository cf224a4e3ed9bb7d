/** Frames of HTTP/2 (RFC 9113, section 4 and 6): their numbers, and cutting a byte stream into them. */

export const frameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const frameFlag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;
export const errorCode = { noError: 0, protocol: 1, flowControl: 3, refusedStream: 7, cancel: 8 } as const;

export const connectionPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
export const frameHeaderBytes = 9;
/** Length of a frame's payload that every peer accepts, and the most that this side accepts. */
export const payloadBytesDefault = 16_384;
/** Window of a new connection, and of a new stream until settings say otherwise. */
export const windowBytesDefault = 65_535;
/** No window is wider (RFC 9113, 6.9.1). */
export const windowBytesMax = 2 ** 31 - 1;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view into what was received. */
  readonly payload: Buffer;
}

export function writeFrameHeader(
  target: Buffer,
  at: number,
  frame: { length: number; type: number; flags: number; stream: number },
): void {
  target.writeUIntBE(frame.length, at, 3);
  target[at + 3] = frame.type;
  target[at + 4] = frame.flags;
  target.writeUInt32BE(frame.stream, at + 5);
}

export function encodeFrame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeaderBytes + payload.length);
  writeFrameHeader(bytes, 0, { length: payload.length, type, flags, stream });
  bytes.set(payload, frameHeaderBytes);
  return bytes;
}

export function encodeSettings(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * values.length);
  for (const [i, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  }
  return encodeFrame(frameType.settings, 0, 0, payload);
}

/** A frame whose payload is one number: a window update, or the reset of a stream. */
export function encodeNumberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return encodeFrame(type, 0, stream, payload);
}

/** Payload of DATA or HEADERS without its padding and priority. */
export function contentOf({ type, flags, payload }: Frame): Buffer {
  let start = 0;
  let end = payload.length;
  if (flags & frameFlag.padded) {
    start = 1;
    end -= payload[0] ?? 0;
  }
  if (type === frameType.headers && flags & frameFlag.priority) start += 5;
  if (start > end) throw new RangeError('a frame is shorter than its padding');
  return payload.subarray(start, end);
}

/** Cuts what a socket delivers into frames. */
export class FrameReader {
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** The bytes that the current frame needs before it can be processed. */
  #neededBytes = frameHeaderBytes;

  /** Calls `onFrame` for each frame that is complete. Throws on a frame larger than this side accepts. */
  push(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    let bytes = chunk;
    if (this.#restBytes > 0) {
      this.#rest.push(chunk);
      this.#restBytes += chunk.length;
      if (this.#restBytes < this.#neededBytes) return;
      bytes = Buffer.concat(this.#rest);
    }
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      if (left < frameHeaderBytes) return this.#keep(bytes, at, frameHeaderBytes);
      const length = bytes.readUIntBE(at, 3);
      if (length > payloadBytesDefault) throw new RangeError(`a frame of ${length} bytes`);
      const start = at + frameHeaderBytes;
      if (left < frameHeaderBytes + length) return this.#keep(bytes, at, frameHeaderBytes + length);
      at = start + length;
      onFrame({
        type: bytes[start - 6]!,
        flags: bytes[start - 5]!,
        stream: bytes.readUInt32BE(start - 4) & 0x7fff_ffff,
        payload: bytes.subarray(start, at),
      });
    }
  }

  #keep(bytes: Buffer, at: number, neededBytes: number): void {
    this.#rest = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#restBytes = bytes.length - at;
    this.#neededBytes = neededBytes;
  }
}
