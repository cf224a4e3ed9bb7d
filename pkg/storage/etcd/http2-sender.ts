/** What one connection sends: frames gathered into one write a turn, and bodies as far as the peer's windows let them go (RFC 9113, 5.2). */
import type { Socket } from 'node:net';
import { encodeFrame, frameFlag, frameHeaderBytes, frameType, payloadBytesDefault, windowBytesDefault, writeFrameHeader } from './http2-frames.ts';
import type { Http2Stream } from './http2-stream.ts';

export class Http2Sender {
  readonly #socket: Socket;
  /** Streams whose bodies wait for a window. */
  readonly #blocked = new Set<Http2Stream>();
  #output: Buffer[] = [];
  #isFlushPlanned = false;
  #startedUpTo = 0;
  #flushedUpTo = 0;
  #window = windowBytesDefault;
  #streamWindow = windowBytesDefault;
  #payloadBytesMax = payloadBytesDefault;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Whether anything of the stream may have left this process. */
  hasSent(stream: Http2Stream): boolean {
    return stream.id !== 0 && stream.id <= this.#flushedUpTo;
  }

  send(bytes: Buffer): void {
    this.#output.push(bytes);
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => this.#flush());
  }

  /** Sends the headers of a stream that has just got its id, and of its body what may go. */
  start(stream: Http2Stream): void {
    this.#startedUpTo = stream.id;
    stream.sendWindow = this.#streamWindow;
    this.send(encodeFrame(frameType.headers, frameFlag.endHeaders, stream.id, stream.headerBlock));
    this.#sendBody(stream);
  }

  /** Sends nothing more of the stream's body. */
  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream);
  }

  /** The peer takes more: of this stream, or altogether. */
  widen(stream: Http2Stream | undefined, bytes: number): void {
    if (stream === undefined) this.#window += bytes;
    else stream.sendWindow += bytes;
    this.#sendBlocked();
  }

  /** The window that every stream starts with is another now, which counts for those that are open as well. */
  changeStreamWindow(bytes: number, open: Iterable<Http2Stream>): void {
    for (const stream of open) stream.sendWindow += bytes - this.#streamWindow;
    this.#streamWindow = bytes;
    this.#sendBlocked();
  }

  changePayloadMax(bytes: number): void {
    this.#payloadBytesMax = bytes;
  }

  #sendBlocked(): void {
    for (const stream of this.#blocked) this.#sendBody(stream);
  }

  #sendBody(stream: Http2Stream): void {
    while (stream.unsent.length > 0) {
      const length = Math.min(stream.unsent.length, this.#window, stream.sendWindow, this.#payloadBytesMax);
      if (length <= 0) {
        this.#blocked.add(stream);
        return;
      }
      const isLast = stream.isOneMessage && length === stream.unsent.length;
      const header = Buffer.allocUnsafe(frameHeaderBytes);
      writeFrameHeader(header, 0, { length, type: frameType.data, flags: isLast ? frameFlag.endStream : 0, stream: stream.id });
      this.send(header);
      this.send(stream.unsent.subarray(0, length));
      stream.unsent = stream.unsent.subarray(length);
      this.#window -= length;
      stream.sendWindow -= length;
    }
    this.#blocked.delete(stream);
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    if (this.#socket.destroyed) return;
    this.#flushedUpTo = this.#startedUpTo;
    const output = this.#output;
    this.#output = [];
    this.#socket.write(Buffer.concat(output));
  }
}
