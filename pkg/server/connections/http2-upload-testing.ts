import {
  flag,
  frame,
  FrameConnection,
  frameType,
  headerBlock,
  type Frame,
} from '../../../test/security/http2-frames.ts';

/** For tests: a client of HTTP/2 that sends a body for as long as it may. */

const PIECE_BYTES = 16_384;
const WINDOW_BYTES = 65_535;
const STREAM = 1;

export interface UploadOutcome {
  /** The received frames, in words: `HEADERS`, `DATA`, with `+END` where it is the last; `RST 0` with its code. */
  readonly frames: readonly string[];
  readonly body: string;
  /** Of the body to send. */
  readonly leftBytes: number;
}

/**
 * Posts `bytes` to `path` on a server without TLS, within its windows. Resolves when the stream is reset, or both sides
 * are done.
 */
export async function uploadOverHttp2(port: number, path: string, bytes: number): Promise<UploadOutcome> {
  const connection = await FrameConnection.open(new URL(`http://127.0.0.1:${port}`));
  const received = (...types: readonly number[]): readonly Frame[] =>
    connection.received.filter(({ type, stream }) => stream === STREAM && types.includes(type));
  const granted = (stream: number): number =>
    connection.received
      .filter((got) => got.type === frameType.windowUpdate && got.stream === stream)
      .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), WINDOW_BYTES);
  const isReset = (): boolean => received(frameType.rstStream).length > 0;
  let sent = 0;
  const room = (): number => Math.min(PIECE_BYTES, bytes - sent, granted(0) - sent, granted(STREAM) - sent);
  try {
    const head = [
      [':method', 'POST'],
      [':scheme', 'http'],
      [':authority', 'h'],
      [':path', path],
    ] as const;
    connection.write(frame(frameType.headers, flag.endHeaders, STREAM, headerBlock(head)));
    while (sent < bytes && !isReset() && !connection.closed) {
      await connection.until(() => isReset() || room() > 0);
      const piece = room();
      sent += piece;
      if (piece > 0)
        connection.write(frame(frameType.data, sent === bytes ? flag.endStream : 0, STREAM, Buffer.alloc(piece)));
    }
    const answer = (): readonly Frame[] => received(frameType.headers, frameType.data, frameType.rstStream);
    await connection.until(() => isReset() || answer().some(({ flags }) => (flags & flag.endStream) !== 0));
    return {
      frames: answer().map(inWords),
      body: Buffer.concat(received(frameType.data).map(({ payload }) => payload)).toString(),
      leftBytes: bytes - sent,
    };
  } finally {
    connection.destroy();
  }
}

function inWords({ type, flags, payload }: Frame): string {
  if (type === frameType.rstStream) return `RST ${payload.readUInt32BE(0)}`;
  return `${type === frameType.headers ? 'HEADERS' : 'DATA'}${(flags & flag.endStream) === 0 ? '' : '+END'}`;
}
